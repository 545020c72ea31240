import type { Log } from './jobs/loop.ts';
import { type Tracing, untraced } from './kernel/tracing.ts';

/** Who is sent traces, and which. */
export interface TracesTo {
  /** The receiver's base URL. */
  readonly endpoint: string;
  /** How many of the traces that begin here are kept, from 0 to 1. */
  readonly share: number;
  /** Who did what a trace tells of. */
  readonly service: string;
  readonly logger: Log;
}

/** Without a receiver nothing of OpenTelemetry is loaded. */
export async function openTracing({
  to,
  ...of
}: { to: Pick<TracesTo, 'endpoint' | 'share'> | null } & Pick<TracesTo, 'service' | 'logger'>): Promise<Tracing> {
  if (to === null) return untraced;
  const { traceTo } = await import('./opentelemetry.ts');
  return traceTo({ ...to, ...of });
}
