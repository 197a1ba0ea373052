"""Lets candor ask a mechanism or an agent that is written in Python: put serve(decide), or serve(bid), at its end.

    candor check market.json --mechanism "exec:python3 mine.py"
    candor try market.json --agent "exec:python3 liar.py"

candor shows this file to the Python that it starts: `from candor import outcome, serve` works as it stands.
"""

import inspect
import json
import sys
import traceback


def serve(function):
    """Answers every question, a line of JSON, with what the function returns. It gets what its parameters name: rules
    and bids (a mechanism), self, rules and history (an agent), and random, a number from 0 to 1 that the seed fixes."""
    answers, sys.stdout = sys.stdout, sys.stderr  # what the function prints is no answer
    wanted = inspect.signature(function).parameters
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = function(**{name: question[name] for name in wanted})
            if isinstance(answer, dict):
                answer = {"question": question["question"], **answer}  # a late answer is not taken for the next
            text = json.dumps(answer, default=lambda value: value.item())  # numbers of NumPy
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{place.filename}, line {place.lineno}"
            text = json.dumps({"question": question["question"], "error": f"{type(error).__name__}: {error} ({where})"})
        print(text, file=answers, flush=True)


def outcome(bids, hired, budget_events=(), thresholds=(), start_delay=0):
    """An outcome: hired is {id: (first round worked, number of rounds, payment)}, nobody else works. What money alone
    decided are budget_events, (round, id, "refused", "capped" or "denied"); start_delay is None if the task never starts."""
    def allotment(worker):
        first, rounds, payment = hired.get(worker, (None, 0, 0))
        return {"id": worker, "selectedAt": first, "rounds": rounds, "payment": payment}
    return {
        "started": start_delay is not None,
        "startDelay": start_delay,
        "workers": [allotment(worker) for worker in sorted(bid["id"] for bid in bids)],
        "thresholds": [dict(zip(("round", "group0", "group1"), one)) for one in thresholds],
        "budgetEvents": [dict(zip(("round", "worker", "kind"), one)) for one in budget_events],
    }
