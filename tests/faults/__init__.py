"""The faults that every developer of such a server should know, each as a named test on real sockets."""
