"""Hostile and broken input of every kind through every command, with totals as a table.

``python -m fuzz`` makes inputs from the project's own examples, runs a command over each and holds
it to what every command promises. The same seed makes the same inputs; each has a seed of its own,
so that ``--only NUMBER`` makes one of them again. The parts::

    contents     what lies in a sandbox: files, links, pipes
    seeds        the examples, by the kind of their source
    trees        changes of plain data      }
    texts        changes of text and bytes  }  mutations
    places       changes of files and names }
    attacks      classes of attack, each of a size drawn at random
    commands     a command line for a source
    inputs       input number N of a seed
    sandbox      a checkout with things outside that nothing may touch or read
    running      one run in a process of its own, watched
    judging      what a run did that none may
    fixes        what --fix did that it may not
    table        totals, and how to repeat what failed
"""
