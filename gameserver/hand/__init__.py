"""The rules of one hand of no-limit hold'em, without seats that come and go, clocks, names or I/O."""
