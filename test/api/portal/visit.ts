import type { Merchant, TestApi } from '../../support/api.ts';

/** A customer's page as a browser asks for it, without a script. */
export interface Portal {
  readonly url: string;
  /** Looks at what stands below the page. */
  get(below?: string): Promise<Response>;
  /** Presses a button of a form on it. */
  post(
    below: string,
    fields?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
}

/** The page at an address, on the service of a test. */
export function portalAt({ baseUrl }: Pick<TestApi, 'baseUrl'>, url: string): Portal {
  const address = baseUrl + new URL(url).pathname;
  return {
    url,
    get: (below = '') => fetch(address + below, { redirect: 'manual' }),
    post: (below, fields = {}, headers = { 'Sec-Fetch-Site': 'same-origin' }) =>
      fetch(address + below, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields), headers }),
  };
}

export async function openPortal(
  api: TestApi,
  { fatura }: Pick<Merchant, 'fatura'>,
  customer: string,
): Promise<Portal> {
  return portalAt(api, (await fatura.customers.createPortalLink(customer)).url);
}
