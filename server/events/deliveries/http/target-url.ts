/** A webhook URL that keeps the rules, taken apart for sending. */
export type Target = {
  /** Connections are shared under this key alone: an origin in one mode. */
  key: string;
  origin: string;
  /** A name or a bare IP address, without the brackets of IPv6. */
  hostname: string;
  path: string;
  /** Whose delivery it is; an origin's connections carry those of every account. */
  accountId: string;
  liveMode: boolean;
};

const URL_MAX = 2_048;

/** Holds a webhook URL to the rules that need no resolver (docs/product/webhooks.md#urls). */
export function readTarget(
  text: string,
  { accountId, liveMode }: Pick<Target, 'accountId' | 'liveMode'>,
): Target | { problem: string } {
  const url = text.length <= URL_MAX ? URL.parse(text) : null;
  if (url === null) return { problem: `must be a URL of at most ${URL_MAX} characters` };
  const isSecure = url.protocol === 'https:';
  if (liveMode && !isSecure) return { problem: 'must begin with https:// in live mode' };
  if (!isSecure && url.protocol !== 'http:') return { problem: 'must begin with https:// or http://' };
  if (url.username !== '' || url.password !== '') return { problem: 'must not carry a user name or password' };
  if (url.port === '0') return { problem: 'must have a port from 1 to 65535' };
  return {
    key: `${liveMode ? 'live' : 'sandbox'} ${url.origin}`,
    origin: url.origin,
    hostname: url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname,
    path: url.pathname + url.search,
    accountId,
    liveMode,
  };
}
