"""Runs the samples that come line by line as JSON, and tells what each of them was answered."""

import json
import sys

import requests

for line in sys.stdin:
    printed = []
    try:
        exec(json.loads(line), {"print": printed.append})
        (answer,) = printed
        told = {"status": 200, "answer": answer}
    except requests.HTTPError as error:
        told = {"status": error.response.status_code, "answer": error.response.json()}
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
