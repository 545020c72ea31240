import type { ApiKeyStatus, DeliveryStatus, EventType, LadderStatus } from '@fatura/sdk';

export const ladderStatuses = ['failed', 'pending', 'delivered'] as const satisfies readonly LadderStatus[];
export const deliveryStatuses = [
  'failed',
  'pending',
  'delivered',
  'not_sent',
] as const satisfies readonly DeliveryStatus[];

/** A type of event of an address. Which ones there are the screen knows, and the service judges. */
export const eventTypeOf = (value: unknown): EventType | undefined =>
  typeof value === 'string' && /^[a-z_]+\.[a-z_]+$/.test(value) ? (value as EventType) : undefined;

export const keyStatuses = ['valid', 'expired', 'revoked'] as const satisfies readonly ApiKeyStatus[];
