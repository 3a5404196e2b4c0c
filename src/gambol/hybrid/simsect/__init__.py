"""The hybrid simulator of the source as a program: a configuration file in, three text files out."""
