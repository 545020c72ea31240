import type { Mode } from './mode.ts';

/** A part of a trace: its name, and ids of what it is about. Nothing that a person typed is told to whoever keeps traces. */
export interface TracedPart {
  readonly name: string;
  readonly kind?: 'server' | 'client' | 'producer' | 'consumer';
  readonly ids?: TracedIds;
  /** The part that it follows from, as `traceparent` writes it; absent or null: the current one. */
  readonly after?: string | null | undefined;
  /** Whether a trace begins with it where none is open; else it is done untold. */
  readonly begins?: boolean;
}

/** Ids, names of ours and figures of the protocol, by the names that the conventions of OpenTelemetry have for them. */
export type TracedIds = Readonly<Partial<Record<TracedName, string | number | undefined>>>;

type TracedName =
  | 'http.request.method'
  | 'http.route'
  | 'http.response.status_code'
  | 'error.type'
  | 'fatura.request'
  | 'fatura.account'
  | 'fatura.mode'
  | 'fatura.object'
  | 'fatura.event'
  | 'fatura.endpoint'
  | 'temporal.workflow'
  | 'temporal.run'
  | 'temporal.attempt';

/** What is learnt of a part while it goes on. */
export interface OpenSpan {
  rename(name: string): void;
  set(ids: TracedIds): void;
  /** It did not come to what it was for; the type is a code or the name of an error, and no message. */
  fail(type: string): void;
}

/** Tells which part of the service's work followed from which, over processes (docs/operations.md#traces). */
export interface Tracing {
  readonly isOn: boolean;
  /** Does work as a part of a trace. */
  span<T>(part: TracedPart, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** The current part, as `traceparent` writes it; null: there is none, or nobody keeps its trace. */
  readonly traceparent: string | null;
  /** Sends what was not sent yet. */
  close(): Promise<void>;
}

/** The ids of an account's mode. */
export const tracedScope = ({ accountId, liveMode }: { accountId: string; liveMode: boolean }) => ({
  'fatura.account': accountId,
  'fatura.mode': (liveMode ? 'live' : 'sandbox') satisfies Mode,
});

/** Of a part that belongs to no trace. */
export const UNTOLD: OpenSpan = { rename() {}, set() {}, fail() {} };

/** How work is done where nobody asked for traces. */
export const untraced: Tracing = {
  isOn: false,
  span: (_part, work) => work(UNTOLD),
  traceparent: null,
  close: () => Promise.resolve(),
};
