"""The checkout: a cart, coupons, and what is to be paid."""
