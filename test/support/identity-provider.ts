import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { PUBLIC_URL } from './people.ts';

/** What the provider says of somebody. */
interface Identity {
  readonly email: string;
  readonly email_verified: boolean;
  readonly name: string;
}

const CLIENT = { clientId: 'fatura', clientSecret: 'um segredo do provedor' };

/** An identity provider of another maker, at which whoever has a name signs in by it. */
export async function startIdentityProvider(identities: Map<string, Identity>) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on TCP has an address of this form.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: encodeURIComponent(CLIENT.clientSecret),
        redirect_uris: [`${PUBLIC_URL}/dashboard/auth/oidc/callback`],
      },
    ],
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...identities.get(sub) }),
    }),
  });
  server.on('request', provider.callback());
  return {
    settings: {
      issuer,
      clientId: CLIENT.clientId,
      clientSecret: encodeURIComponent(CLIENT.clientSecret),
      isOnly: false,
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Goes the way of a browser from the provider's first page back to the callback, signing in under a name; answers the callback's query. */
export async function signInAtProvider(start: string, name: string): Promise<string> {
  const jar = new Map<string, string>();
  const ask = async (url: string, form?: Record<string, string>): Promise<string> => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...jar].map((pair) => pair.join('=')).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [key = '', value = ''] = (cookie.split(';')[0] ?? '').split('=');
      jar.set(key, value);
    }
    const next = response.headers.get('location');
    if (next === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
    return new URL(next, url).href;
  };
  let url = await ask(start);
  for (let steps = 0; !url.startsWith(PUBLIC_URL); steps += 1) {
    if (steps > 10) throw new Error(`the provider leads nowhere: ${url}`);
    const isQuestion = /\/interaction\/[^/]+$/.test(url);
    const form = steps < 2 ? { prompt: 'login', login: name, password: 'x' } : { prompt: 'consent' };
    url = await ask(url, isQuestion ? form : undefined);
  }
  return new URL(url).search;
}
