import { describe, expect, test } from 'vitest';
import { type ExchangeEnd, SendingWindow, type WindowLimits } from '../../../server/events/deliveries/window.ts';

const LIMITS: WindowLimits = {
  quick: 20,
  unknown: 20,
  slow: 10,
  endpoint: { first: 4, quick: 8, slow: 3, least: 1 },
  account: { quick: 12, slow: 5 },
  slowAfterMs: 1_000,
};

/** Each receiver is of an account of its own, unless its name says which: `shop/a`. */
const receiver = (id: string, unwell = false) => ({
  endpointId: id,
  accountId: id.split('/')[0] ?? id,
  unwell,
});

/** A window on a clock of its own. */
function newWindow() {
  let nowMs = 0;
  const window = new SendingWindow(LIMITS, () => nowMs);
  const begin = (id: string, count = 1) => Array.from({ length: count }, () => window.begin(receiver(id)));
  const end = (id: string, tickets: number[], how: Partial<ExchangeEnd> = {}) => {
    for (const ticket of tickets) window.end(id, ticket, { durationMs: 5, answered: true, ...how });
  };
  return {
    window,
    begin,
    end,
    pass: (ms: number) => {
      nowMs += ms;
    },
    free: (id: string) => window.allowances().byEndpoint[id] ?? window.allowances().byDefault,
  };
}

describe('a receiver', () => {
  test('begins with a few exchanges and gets one more with each quick answer, up to its limit', () => {
    const { begin, end, free } = newWindow();
    // A claim takes one of each that it knows nothing of, before any has more.
    expect(free('a')).toBe(1);
    const tickets = begin('a');
    expect(free('a')).toBe(3);
    end('a', [...tickets, ...begin('a')]);
    expect(free('a')).toBe(6);
    end('a', begin('a', 6));
    end('a', begin('a', 6));
    expect(free('a')).toBe(8);
  });

  test('that does not answer gets half as many each time, and never none', () => {
    const { begin, end, free } = newWindow();
    const failed = { answered: false };
    end('a', begin('a'), failed);
    expect(free('a')).toBe(2);
    end('a', begin('a'), failed);
    end('a', begin('a'), failed);
    expect(free('a')).toBe(1);
  });

  test('counts as slow as soon as an exchange lasts a second, and until it answers quickly', () => {
    const { begin, end, free, pass } = newWindow();
    const tickets = begin('a', 2);
    expect(free('a')).toBe(2);
    pass(1_000);
    expect(free('a')).toBe(1);
    end('a', tickets, { durationMs: 1_200 });
    expect(free('a')).toBe(3);
    end('a', begin('a'));
    expect(free('a')).toBeGreaterThan(3);
  });

  test('whose last attempts failed begins as slow', () => {
    const { window, free } = newWindow();
    window.begin(receiver('a', true));
    expect(free('a')).toBe(0);
  });
});

describe('the window', () => {
  test('has no room beyond its limit', () => {
    const { window, begin, end } = newWindow();
    const tickets = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, under: begin(id, 4) }));
    expect(window.inFlight).toBe(20);
    expect(window.allowances()).toMatchObject({ total: 30, byDefault: 0 });
    expect(window.admits(receiver('f'))).toBe(false);
    for (const { id, under } of tickets) end(id, under);
    expect(window.inFlight).toBe(0);
    expect(window.admits(receiver('f'))).toBe(true);
  });

  /** Receivers never heard of that do not answer, as many as it takes. */
  function fillWithDead({ window, begin, pass }: Pick<ReturnType<typeof newWindow>, 'window' | 'begin' | 'pass'>) {
    for (let dead = 0; window.allowances().byDefault > 0; dead += 1) {
      begin(`dead${dead}`);
      pass(1_000);
    }
  }

  test('keeps its room for quick receivers when many new ones do not answer', () => {
    const { window, begin, end, pass, free } = newWindow();
    end('quick', begin('quick'));
    fillWithDead({ window, begin, pass });
    expect(window.inFlight).toBe(30);
    expect(window.allowances()).toMatchObject({ total: 20, byDefault: 0, byDefaultUnwell: 0 });
    expect(free('quick')).toBe(5);
  });

  test('keeps room for new receivers when many do not answer that failed before', () => {
    const { window } = newWindow();
    for (let dead = 0; window.allowances().byDefaultUnwell > 0; dead += 1) window.begin(receiver(`dead${dead}`, true));
    expect(window.inFlight).toBe(10);
    expect(window.allowances()).toMatchObject({ total: 40, byDefault: 1, byDefaultUnwell: 0 });
    expect(window.admits(receiver('new'))).toBe(true);
  });

  test('has an end, should all turn out to be slow at once', () => {
    const { window, begin, end, pass } = newWindow();
    for (let nth = 0; nth < 10; nth += 1) end(`quick${nth}`, begin(`quick${nth}`));
    fillWithDead({ window, begin, pass });
    for (let nth = 0; nth < 10; nth += 1) begin(`quick${nth}`, 2);
    expect(window.inFlight).toBe(50);
    pass(1_000);
    expect(window.allowances()).toMatchObject({ total: 0, byDefault: 0, byDefaultUnwell: 0 });
    expect(new Set(Object.values(window.allowances().byEndpoint))).toEqual(new Set([0]));
  });

  test('gives no slow receiver more than is left for all of them', () => {
    const { window, begin, pass } = newWindow();
    for (const id of ['a', 'b', 'c', 'd']) begin(id, 2);
    pass(1_000);
    const { byEndpoint } = window.allowances();
    expect(Object.values(byEndpoint)).toEqual([1, 1, 1, 1]);
    begin('e', 2);
    pass(1_000);
    expect(Object.values(window.allowances().byEndpoint)).toEqual([0, 0, 0, 0, 0]);
  });

  test('regression-78-keeps no room for slow receivers to which nothing is sent', () => {
    const { begin, end, free } = newWindow();
    for (let nth = 0; nth < 20; nth += 1) end(`idle${nth}`, begin(`idle${nth}`), { durationMs: 2_000 });
    end('waiting', begin('waiting'), { durationMs: 2_000 });
    expect(free('waiting')).toBe(3);
  });

  test('has no more room for the receivers of one account together, however many it has', () => {
    const { window, begin, end, free, pass } = newWindow();
    const quick = ['shop/a', 'shop/b', 'shop/c'].map((id) => ({ id, under: begin(id, 4) }));
    expect([free('shop/a'), window.admits(receiver('shop/d'))]).toEqual([0, false]);
    expect([window.allowances().byDefault, window.admits(receiver('other'))]).toEqual([1, true]);
    for (const { id, under } of quick) end(id, under);
    const slow = ['shop/a', 'shop/b', 'shop/c'].map((id) => ({ id, under: begin(id, 1) }));
    pass(1_000);
    const { byEndpoint } = window.allowances();
    expect(Object.values(byEndpoint)).toEqual([2, 2, 2]);
    for (const { id, under } of slow) end(id, under);
  });

  test('answers for the accounts that are asked for alone', () => {
    const { window, begin, end } = newWindow();
    end('shop/well', begin('shop/well'));
    end('other/well', begin('other/well'));
    const asked = window.allowances(new Set(['shop']));
    expect(asked).toMatchObject({ byDefault: 1 });
    expect(asked.byEndpoint).toEqual({ 'shop/well': 5 });
    expect(window.allowances().byEndpoint).toMatchObject({ 'shop/well': 5, 'other/well': 5 });
  });

  test('forgets receivers it has not heard of for long', () => {
    const { window, begin, end, pass } = newWindow();
    end('a', begin('a'));
    const held = begin('b');
    pass(601_000);
    expect(Object.keys(window.allowances().byEndpoint)).toEqual(['b']);
    end('b', held);
  });

  test('lets in whoever waits as soon as the receiver has room, in their order', async () => {
    const { window, begin, end } = newWindow();
    const [tickets, other] = [begin('a', 4), begin('b', 4)];
    const entered: string[] = [];
    const enter = (name: string, id: string) => window.enter(receiver(id)).then(() => entered.push(name));
    const all = [enter('first', 'a'), enter('second', 'a'), enter('third', 'a'), enter('elsewhere', 'b')];
    end('a', tickets.slice(0, 1));
    await Promise.all(all.slice(0, 2));
    expect(entered).toEqual(['first', 'second']); // a quick answer makes room for one more
    end('b', other, { answered: false });
    end('a', tickets.slice(1));
    await Promise.all(all);
    expect(entered).toEqual(['first', 'second', 'elsewhere', 'third']);
    expect(window.inFlight).toBe(4);
  });

  test('takes the end of an exchange once', () => {
    const { window, begin, end } = newWindow();
    const tickets = begin('a');
    end('a', tickets);
    end('a', tickets);
    expect(window.inFlight).toBe(0);
  });
});
