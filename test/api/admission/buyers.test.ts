import { get as askBy, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { limitOf } from '../../../server/admission/limits.ts';
import { type Merchant, startApi, type TestApi } from '../../support/api.ts';
import { newInvoice } from '../../support/factories.ts';
import { OpenPage } from '../../support/open-pages.ts';
import { rolesOf } from '../../support/roles.ts';
import { sessionBody } from '../checkout/session-scene.ts';

const SANDBOX = { liveMode: false };
/** Connections that one address may have. */
const EACH_ADDRESS = limitOf('connections', SANDBOX);

let api: TestApi;
/** A crowd is at the pages of its sandbox. */
let loud: Merchant;
let shop: Merchant;

beforeAll(async () => {
  api = await startApi();
  loud = await api.newMerchant();
  shop = await api.newMerchant();
});
afterAll(() => api.stop());

const held: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const letGo of held.splice(0)) await letGo();
});

interface Shown {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What somebody at an address of this machine is shown, by a connection of their own. */
const show = (path: string, from = '127.0.0.1'): Promise<Shown> =>
  new Promise((resolve, reject) => {
    askBy(api.baseUrl + path, { localAddress: from, agent: false }, (answer) => {
      const { statusCode: status, headers } = answer;
      text(answer).then((body) => resolve({ status, headers, text: body }), reject);
    }).on('error', reject);
  });

const crowdOf = (size: number, ask: (nth: number) => Promise<Shown>) => {
  let isOver = false;
  const answers = Array.from({ length: size }, (_, nth) => ask(nth));
  const over = Promise.all(answers).then((all) => {
    isOver = true;
    return all;
  });
  return { answers, over, isOver: () => isOver };
};

const pageOf = (invoice: string, liveMode = false): string =>
  new URL(api.composition.deps.links.payment({ id: invoice, liveMode })).pathname;

/** The page of an invoice of live mode. */
async function aLivePage(merchant: Merchant, order: { amount?: number } = {}): Promise<string> {
  return pageOf((await newInvoice({ ...merchant, fatura: merchant.live }, order)).id, true);
}

/** Pages of sessions of the loud sandbox that nobody has opened yet. */
const sessionPages = (count: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const { url } = await loud.fatura.checkoutSessions.create(await sessionBody(loud));
      return new URL(url).pathname;
    }),
  );

/** Holds up whatever reads sessions. */
async function holdSessions(): Promise<() => Promise<void>> {
  const blocker = await rolesOf(api.composition.deps.pool).superuser.connect();
  await blocker.query('BEGIN');
  await blocker.query('LOCK TABLE checkout_session IN ACCESS EXCLUSIVE MODE');
  let isHeld = true;
  const letGo = async (): Promise<void> => {
    if (!isHeld) return;
    isHeld = false;
    await blocker.query('ROLLBACK');
    blocker.release();
  };
  held.push(letGo);
  return letGo;
}

const heldUp = async (): Promise<number> => {
  const { rows } = await rolesOf(api.composition.deps.pool).superuser.query(
    `SELECT count(*)::int AS count FROM pg_locks WHERE relation = 'checkout_session'::regclass AND NOT granted`,
  );
  return rows[0].count;
};

const refusals = async (limit: string): Promise<number> => {
  const metrics = await api.composition.deps.metrics.registry.getMetricsAsJSON();
  const counted = metrics.find(({ name }) => name === 'fatura_limit_refusals_total')?.values ?? [];
  return counted.filter(({ labels }) => labels.limit === limit).reduce((sum, { value }) => sum + value, 0);
};

const statusesOf = (all: readonly Shown[]): (number | undefined)[] => all.map(({ status }) => status);

describe('a crowd at the pages of one sandbox', () => {
  test('uses up what its buyers may have in flight, and live buyers of its own and of another account are shown theirs', async () => {
    const live = [await aLivePage(shop), await aLivePage(loud)];
    const liveReceipt = `${await aLivePage(shop, { amount: 0 })}/receipt`;
    const receipt = `${pageOf((await newInvoice(loud, { amount: 0 })).id)}/receipt`;
    const pages = await sessionPages(2);
    // From here on it is known whose they are.
    expect(statusesOf(await Promise.all([...pages, receipt].map((page) => show(page))))).toEqual([200, 200, 200]);
    const before = await refusals('queue');
    const letGo = await holdSessions();
    const most = limitOf('buyers', SANDBOX) + limitOf('queue', SANDBOX);
    const crowd = crowdOf(most + 20, (nth) => show(`${pages[nth % pages.length]}/state`));

    const refused = await Promise.race(crowd.answers);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(JSON.parse(refused.text)).toMatchObject({ purchase: null, problem: { code: 'RATE_LIMITED' } });
    for (const path of [pages[0] ?? '', receipt]) {
      const page = await show(path);
      expect([page.status, page.headers['retry-after']]).toEqual([429, '1']);
      expect(page.text).toContain('Foram muitas tentativas em pouco tempo.');
    }
    const shown = await Promise.all(
      [...live, `${live[0]}/state`, liveReceipt, `${liveReceipt}.pdf`].map((path) => show(path)),
    );
    expect(statusesOf(shown)).toEqual([200, 200, 200, 200, 200]);
    expect(crowd.isOver()).toBe(false);

    await letGo();
    expect(statusesOf(await crowd.over)).toContain(200);
    expect((await refusals('queue')) - before).toBeGreaterThan(20);
    expect((await show(pages[0] ?? '')).status).toBe(200);
  });

  test('that were never opened has so many connections for one address, and a live buyer from elsewhere has one', async () => {
    const [first, known] = [await aLivePage(shop), await aLivePage(shop)];
    expect((await show(known)).status).toBe(200);
    const pages = await sessionPages(EACH_ADDRESS + 4);
    const letGo = await holdSessions();
    const crowd = crowdOf(pages.length, (nth) => show(pages[nth] ?? ''));
    await expect.poll(heldUp).toBe(EACH_ADDRESS);
    // Whose it is is known: it waits for no visitor, whatever its address is.
    expect((await show(known)).status).toBe(200);
    expect((await show(first, '127.0.0.2')).status).toBe(200);
    expect([crowd.isOver(), await heldUp()]).toEqual([false, EACH_ADDRESS]);
    await letGo();
    expect(new Set(statusesOf(await crowd.over))).toEqual(new Set([200]));
  });

  test('has streams that take nothing from the others who open them', async () => {
    // One link has ten at most.
    const pages = await sessionPages(4);
    const streams = await Promise.all(
      Array.from({ length: limitOf('buyers', SANDBOX) + 1 }, (_, nth) =>
        OpenPage.of(`${api.baseUrl}${pages[nth % pages.length]}`),
      ),
    );
    onTestFinished(() => {
      for (const stream of streams) stream.leave();
    });
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await show(pages[0] ?? '')).status).toBe(200);
  });
});

describe('one link', () => {
  test('is opened 60 times a minute, and then says so while its script and other links go on', async () => {
    const [page, other] = [pageOf((await newInvoice(loud)).id), await aLivePage(shop)];
    for (let nth = 0; nth < 60; nth += 1) expect((await show(page)).status).toBe(200);
    const refused = await show(page);
    expect([refused.status, refused.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.text).toContain('Foram muitas tentativas em pouco tempo. Aguarde um minuto e tente de novo.');
    expect(statusesOf([await show(`${page}/state`), await show(other)])).toEqual([200, 200]);
  });

  test('is asked by its script 240 times a minute, and then the page can still be opened', async () => {
    const page = pageOf((await newInvoice(loud)).id);
    for (let nth = 0; nth < 240; nth += 40) {
      const answers = await Promise.all(Array.from({ length: 40 }, () => show(`${page}/state`)));
      expect(new Set(statusesOf(answers))).toEqual(new Set([200]));
    }
    for (const read of ['state', 'events']) {
      const refused = await show(`${page}/${read}`);
      expect([read, refused.status, JSON.parse(refused.text).problem.code]).toEqual([read, 429, 'RATE_LIMITED']);
    }
    expect((await show(page)).status).toBe(200);
  });

  test('that was not made here is counted nowhere and looked up nowhere', async () => {
    const page = pageOf((await newInvoice(loud)).id);
    const queries = vi.spyOn(api.composition.deps.pool, 'query');
    onTestFinished(() => queries.mockRestore());
    const answers = await Promise.all(Array.from({ length: 70 }, () => show(`${page}x`)));
    expect(new Set(statusesOf(answers))).toEqual(new Set([404]));
    // The process writes and looks by itself now and then.
    const asked = queries.mock.calls.map(([query]) => (query as unknown as { name: string }).name);
    expect(asked.filter((name) => ['read_bill', 'rate_limit_take'].includes(name))).toEqual([]);
    expect((await show(page)).status).toBe(200);
  });
});
