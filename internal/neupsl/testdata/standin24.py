"""The stand-in in the dialect of PSL 2.4."""

import sys

import standin

if __name__ == "__main__":
    standin.main(int(sys.argv[1]), True)
