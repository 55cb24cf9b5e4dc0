"""Facts and state, to the frames of each audience, through policy. Short functions that build up from nothing; no view is made
by taking something away from another (test_no_view_filters_another).
"""
