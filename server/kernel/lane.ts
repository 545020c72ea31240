/** Whose work a part of the worker does: a lane has queues, connections and sockets of its own (docs/design/lanes.md). */
export const LANES = ['live', 'sandbox'] as const;

export type Lane = (typeof LANES)[number];

/** The lane of the work of a mode. */
export const laneOf = (liveMode: boolean): Lane => (liveMode ? 'live' : 'sandbox');

/** The same in SQL. */
export const laneSql = (liveMode: string): string => `CASE WHEN ${liveMode} THEN 'live' ELSE 'sandbox' END`;

/** What each lane has of its own. */
export type PerLane<T> = Readonly<Record<Lane, T>>;

export const perLane = <T>(make: (lane: Lane) => T): PerLane<T> => ({ live: make('live'), sandbox: make('sandbox') });
