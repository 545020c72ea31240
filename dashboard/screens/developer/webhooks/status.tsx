import type { DeliveryStatus, LadderStatus, WebhookEndpointStatus } from '@fatura/sdk';
import { Status, type Tone } from '../../../parts/status.tsx';
import { useTexts } from '../../../texts/language.tsx';
import { webhookTexts } from './texts.ts';

const endpointTones: Readonly<Record<WebhookEndpointStatus, Tone>> = {
  active: 'good',
  unstable: 'warn',
  disabled: 'off',
};

/** Whether an endpoint receives events, and accepts them. */
export function EndpointStatus({ status }: { status: WebhookEndpointStatus }) {
  const { statuses } = useTexts(webhookTexts);
  return <Status tone={endpointTones[status]}>{statuses[status]}</Status>;
}

const ladderTones: Readonly<Record<LadderStatus, Tone>> = { pending: 'calm', delivered: 'good', failed: 'bad' };

/** Where the attempts for one event at one endpoint stand. */
export function LadderBadge({ status }: { status: LadderStatus }) {
  const { ladders } = useTexts(webhookTexts);
  return <Status tone={ladderTones[status]}>{ladders[status]}</Status>;
}

const resultTones: Readonly<Record<DeliveryStatus, Tone>> = { ...ladderTones, not_sent: 'off' };

/** What became of an event at all endpoints together. */
export function ResultBadge({ status }: { status: DeliveryStatus }) {
  const { results } = useTexts(webhookTexts);
  return <Status tone={resultTones[status]}>{results[status]}</Status>;
}
