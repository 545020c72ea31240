export * from './handlers.ts';
export * from './unwrap.ts';
