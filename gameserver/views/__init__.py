"""Facts and state, to the frames of each audience, through policy. Short functions that build up from nothing; no view is made
by taking something away from another (test_no_view_filters_another).

    change = Change(table_id, facts, state, now)       one change of a table; what audiences share is built once
    change.public(), .unseated_agents(), .seat(audience), .owner(user_id)      numbered frames, `seq` still 0
    snapshot(audience, table_id, state, now)           all that an audience may know, at once

Not here: who listens, numbering, encoding (`gameserver.net`), and what a viewer may see (`policy`).
"""
