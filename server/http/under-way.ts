import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { Company } from '../db/company.ts';
import { type Owner, workFor } from '../db/owner.ts';
import { Turns } from '../db/turns.ts';
import type { Deps } from '../deps.ts';
import { amountOf, type BudgetName, MIB } from '../kernel/budgets.ts';
import { laneOf } from '../kernel/lane.ts';
import { mostBytesOf, SMALL_BODY_BYTES } from './body.ts';
import { FairStarts } from './fair-starts.ts';
import type { IdempotentRunner } from './idempotency.ts';
import { holderOf, type Party } from './party.ts';
import { asyncMiddleware, routeOf } from './request.ts';
import { zodOf } from './request-schema.ts';
import { createRests } from './rests.ts';
import { SandboxPace } from './sandbox-pace.ts';
import { AT_ONCE, createRefusals } from './turns-of-budgets.ts';

/** What has places of its own. */
const GATES = ['requests', 'buyers', 'notices', 'lists', 'large_bodies'] as const satisfies readonly BudgetName[];
type Gate = (typeof GATES)[number];

/** The budget of who has something done. */
const gateOf = { merchant: 'requests', buyer: 'buyers', acquirer: 'notices' } as const satisfies Record<
  Owner['by'],
  Gate
>;

/** So many accounts of a mode may use their budget up at once. */
const ACCOUNTS_BUSY = 8;
const WAIT_MS = 2_000;
/** A sale begins for all its buyers at once: they wait rather than be refused. */
export const BUYERS_WAIT_SECONDS = 5;

const gateName = (gate: Gate, { liveMode }: { liveMode: boolean }): string => `${gate} ${liveMode}`;

/** What a JSON answer says of its length. */
const bytesOf = (response: Response | undefined): number => Number(response?.getHeader('Content-Length') ?? 0);

function createGates(company: Company): ReadonlyMap<string, Turns> {
  const gates = new Map<string, Turns>();
  for (const gate of GATES) {
    for (const mode of [{ liveMode: true }, { liveMode: false }]) {
      const most = amountOf(gate, mode);
      const each = () => company.amountOf(gate, mode);
      const bounds = { total: ACCOUNTS_BUSY * most, each, spare: most, waitMs: WAIT_MS };
      gates.set(gateName(gate, mode), new Turns({ ...bounds, waitingMax: amountOf('requests_waiting', mode) }));
    }
  }
  return gates;
}

/** Answers of each account that are on their way. */
class Answers {
  readonly #of = new Map<string, Set<Response>>();

  add(holder: string, response: Response): void {
    const answers = this.#of.get(holder) ?? new Set();
    this.#of.set(holder, answers.add(response));
    response.once('close', () => {
      answers.delete(response);
      if (answers.size === 0) this.#of.delete(holder);
    });
  }

  /** Bytes that were given and that nobody has taken yet. */
  bytes(holder: string): number {
    let bytes = 0;
    for (const { writableLength } of this.#of.get(holder) ?? []) bytes += writableLength;
    return bytes;
  }
}

/** Holds the requests of each account to what it may have under way at once (docs/design/budgets.md#requests). */
export function createUnderWay(deps: Pick<Deps, 'metrics'>) {
  const company = new Company();
  const gates = createGates(company);
  const answers = new Answers();
  // A body is parsed and judged by the one thread: it passes half as fast as a page.
  const rests = { lists: createRests(2 * MIB), large_bodies: createRests(MIB) };
  const refusals = createRefusals(deps);
  const sandboxes = new SandboxPace(refusals);
  const buyersStarts = new FairStarts(company);

  const enter = (gate: Gate, of: Party): Promise<() => void> => {
    company.saw(holderOf(of));
    sandboxes.saw(of);
    const turns = gates.get(gateName(gate, of));
    if (turns === undefined) throw new Error(`no places of ${gate}`);
    return refusals.turn(turns, of, { budget: gate, what: `requests ${AT_ONCE}` });
  };

  /** Gives places back when the answer has left, or nobody takes it. */
  const leaveWith = ({ res: response }: Request, leave: () => void): void => {
    if (response === undefined || response.closed) leave();
    else response.once('close', leave);
  };

  /** Takes a place of what is dear; beside others it rests before it is free again. */
  const enterDear = async (gate: 'lists' | 'large_bodies', of: Party, bytes: () => number): Promise<() => void> => {
    const leave = await enter(gate, of);
    const takenAtMs = performance.now();
    let isOver = false;
    return () => {
      // Whoever stepped aside also ends: what it waited for meanwhile took nothing.
      if (isOver) return;
      isOver = true;
      if (!company.isShared) return leave();
      const takenMs = performance.now() - takenAtMs;
      rests[gate][laneOf(of.liveMode)].leave(holderOf(of), { takenMs, bytes: bytes() }, leave);
    };
  };

  /** Whoever has a key began before its body was read. */
  const beginBuyer = async (of: Owner): Promise<void> => {
    const perSecond = amountOf('buyers_begun', of);
    if (company.isShared && buyersStarts.waiting(of) >= perSecond * BUYERS_WAIT_SECONDS)
      throw refusals.refusal(of, { budget: 'buyers_begun', what: 'requests a second, of the buyers of this account,' });
    await new Promise<void>((resolve) => buyersStarts.begin({ ...of, perSecond }, resolve));
    await sandboxes.begin(of);
  };

  const enterAll = async (request: Request, owner: Owner): Promise<() => void> => {
    if (owner.by === 'buyer') await beginBuyer(owner);
    const leave = await enter(gateOf[owner.by], owner);
    if (owner.by !== 'merchant' || !isList(request)) return leave;
    try {
      const leaveList = await enterDear('lists', owner, () => bytesOf(request.res));
      return () => {
        leaveList();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  };

  /** Does what a request asks for. It is under way until that has come to its end and its answer has left, or nobody takes it. */
  const run = async <T>(request: Request, owner: Owner, work: () => Promise<T>): Promise<T> => {
    const holder = `${holderOf(owner)} ${owner.by}`;
    if (answers.bytes(holder) > amountOf('answer_bytes', owner)) {
      const what = 'bytes of answers that were given and not taken yet';
      throw refusals.refusal(owner, { budget: 'answer_bytes', what });
    }
    const leave = await enterAll(request, owner);
    const { stepAside } = request;
    const stepAsideToo = (): void => {
      stepAside();
      leave();
    };
    request.stepAside = stepAsideToo;
    if (request.res?.closed === false) answers.add(holder, request.res);
    try {
      return await workFor(owner, work);
    } finally {
      leaveWith(request, leave);
    }
  };

  /** Before a body is read: large ones of an account are read a few at a time. */
  const holdLargeBodies: RequestHandler = asyncMiddleware(async (request) => {
    const bytes = mostBytesOf(request.headers);
    if (bytes <= SMALL_BODY_BYTES) return;
    leaveWith(request, await enterDear('large_bodies', request.identity, () => bytes));
  });

  return {
    run,
    /** Before a body is read. */
    holds: [sandboxes.hold, holdLargeBodies],
    /** A runner of requests that holds them to the budget of whoever sends them. */
    bounding:
      (runner: IdempotentRunner, by: Owner['by']): IdempotentRunner =>
      (request, response, handle) => {
        const { accountId, liveMode } = request.identity;
        return run(request, { accountId, liveMode, by }, () => runner(request, response, handle));
      },
  };
}

/** Pages follow one another by cursors; so does the feed. */
function isList(request: Request): boolean {
  const { query } = routeOf(request);
  const own = zodOf(query);
  return own instanceof z.ZodObject && ('starting_after' in own.shape || 'cursor' in own.shape);
}

export type UnderWay = ReturnType<typeof createUnderWay>;
