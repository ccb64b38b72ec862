"""git as a source of bytes and a place for a branch. The user's repository is data: nothing in it is executed."""
