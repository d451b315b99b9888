"""The list of attacks."""

ATTACKS = {}


def attack(line, server=None, *, slow=False):
    """An attack: a function of an `Attack`, with a one-line description.

    `server` has the options of a separate server; other attacks share one. A `slow` attack is
    omitted in quick runs.
    """
    def register(function):
        name = function.__name__.replace('_', '-').strip('-')
        function.line, function.server, function.slow = line, server, slow
        assert name not in ATTACKS, name
        ATTACKS[name] = function
        return function
    return register
