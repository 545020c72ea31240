import type { CookieOptions, Request, Response } from 'express';
import type { Settings } from '../deps.ts';

/** The cookies of the dashboard; `__Host-` is taken by a browser over https alone, from the host itself. */
const names = { session: 'fatura', oidc: 'fatura-oidc' } as const;

type CookieName = keyof typeof names;

const isSecure = ({ publicUrl }: Pick<Settings, 'publicUrl'>): boolean => publicUrl.startsWith('https:');

export function createCookies(settings: Pick<Settings, 'publicUrl'>) {
  const secure = isSecure(settings);
  const nameOf = (cookie: CookieName): string => (secure ? `__Host-${names[cookie]}` : names[cookie]);
  const options: CookieOptions = { httpOnly: true, sameSite: 'lax', path: '/', secure };
  return {
    /** The value that a browser sent; null without one, and with several: then somebody else put one beside ours. */
    read(request: Request, cookie: CookieName): string | null {
      const begin = `${nameOf(cookie)}=`;
      const sent = (request.get('cookie') ?? '').split(';').map((part) => part.trim());
      const values = sent.filter((part) => part.startsWith(begin)).map((part) => part.slice(begin.length));
      const [value] = values;
      return values.length === 1 && value !== undefined && /^[\w-]{1,100}$/.test(value) ? value : null;
    },
    set(response: Response, cookie: CookieName, value: string, maxAgeSeconds: number): void {
      response.cookie(nameOf(cookie), value, { ...options, maxAge: maxAgeSeconds * 1_000 });
    },
    clear(response: Response, cookie: CookieName): void {
      response.clearCookie(nameOf(cookie), options);
    },
  };
}

export type Cookies = ReturnType<typeof createCookies>;
