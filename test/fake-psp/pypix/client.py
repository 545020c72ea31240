"""Calls a PSP by pypix-api: one call, told by JSON on standard input, whose outcome is JSON on standard output."""

import json
import sys
from datetime import date

from pypix_api.auth.oauth2 import OAuth2Client
from pypix_api.banks.inter import InterPixAPI
from pypix_api.banks.sicoob import SicoobPixAPI
from pypix_api.banks.sicredi import SicrediPixAPI
from pypix_api.exceptions import PixAPIException
from pypix_api.utils.identificadores import gerar_id_rec

BANKS = {'inter': InterPixAPI, 'sicoob': SicoobPixAPI, 'sicredi': SicrediPixAPI}

asked = json.load(sys.stdin)
bank = asked['bank']
args = asked['args']

if asked['call'] == 'gerar_id_rec':
    print(json.dumps(gerar_id_rec(*args[:2], date.fromisoformat(args[2]))))
    sys.exit()

oauth = OAuth2Client(
    asked['tokenUrl'],
    asked['clientId'],
    cert=asked['certificate'],
    pvk=asked['key'],
    # Sicoob takes the certificate for the secret.
    client_secret=None if bank == 'sicoob' else asked['clientSecret'],
    client_auth='body' if bank == 'inter' else 'basic',
)
extras = {'conta_corrente': asked['account']} if bank == 'inter' else {}
api = BANKS[bank](oauth, scopes=asked['scopes'], **extras)
api.get_base_url = lambda: asked['baseUrl']
if asked['call'] == 'solicitar_retentativa_cobr':
    args = [args[0], date.fromisoformat(args[1])]
try:
    print(json.dumps(getattr(api, asked['call'])(*args)))
except PixAPIException as error:
    print(json.dumps({'refused': error.status, 'type': error.type}))
