"""How the person walks, beside how adults walk."""
