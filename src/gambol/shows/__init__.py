"""What can be watched live: models, and published experiments that have a figure to look at."""
