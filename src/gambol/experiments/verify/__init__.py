"""The verification suite of the 1994 work (appendix C), each test run from a script of the command language."""
