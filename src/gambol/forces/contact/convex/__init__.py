"""Two convex solids: how far apart or how deep in one another, along which normal, and at which points they touch.

solids       shapes as the kernels know them: a core with a radius around it, numbers in a table
support      the farthest point of a core in a direction
distance     the nearest points of two cores that are apart (Gilbert, Johnson and Keerthi)
penetration  the shortest way out of two cores that overlap (expanding polytopes)
manifold     faces, edges and corners that meet, and the points that carry
"""
