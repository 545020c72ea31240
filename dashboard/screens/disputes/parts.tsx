import type { Dispute, DisputeFunds, DisputeStatus } from '@fatura/sdk';
import { Status, type Tone } from '../../parts/status.tsx';
import { useTexts } from '../../texts/language.tsx';
import { disputeTexts } from './texts.ts';

const statusTones: Readonly<Record<DisputeStatus, Tone>> = {
  needs_response: 'warn',
  under_review: 'calm',
  lost: 'bad',
  won: 'good',
  closed: 'off',
};

export function DisputeStatusBadge({ status }: Pick<Dispute, 'status'>) {
  const { statuses } = useTexts(disputeTexts);
  return <Status tone={statusTones[status]}>{statuses[status]}</Status>;
}

const fundsTones: Readonly<Record<DisputeFunds, Tone>> = { none: 'off', withdrawn: 'bad', reinstated: 'good' };

/** Where the money is now. */
export function Funds({ funds }: Pick<Dispute, 'funds'>) {
  const { fundsNames } = useTexts(disputeTexts);
  return <Status tone={fundsTones[funds]}>{fundsNames[funds]}</Status>;
}
