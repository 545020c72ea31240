import type { Mandate, MandateListParams } from '@fatura/sdk';
import { useState } from 'react';
import { useRoleRefusal } from '../api/may.ts';
import { useFatura, useReadList } from '../api/queries.ts';
import { useFormat } from '../texts/format.ts';
import { useTexts } from '../texts/language.tsx';
import { mandateTexts } from '../texts/mandates.ts';
import { Button } from './button.tsx';
import { Confirm } from './confirm.tsx';
import { ErrorNote } from './error-note.tsx';
import { LoadMore } from './load-more.tsx';
import { ObjectLink } from './object-link.tsx';
import { Panel } from './page.tsx';
import { Status, type Tone } from './status.tsx';

const tones: Readonly<Record<Mandate['status'], Tone>> = {
  pending: 'calm',
  active: 'good',
  failed: 'off',
  ended: 'off',
};

/** When it was asked for, authorised and ended, why, and what it lets be debited. */
function useFacts(): (mandate: Mandate) => string {
  const texts = useTexts(mandateTexts);
  const { date, money } = useFormat();
  return ({ created, activated_at: activated, ended_at: ended, end_reason: reason, amount }) =>
    [
      activated === null ? texts.asked(date(created)) : texts.since(date(activated)),
      ...(ended === null ? [] : [texts.until(date(ended))]),
      ...(reason === null ? [] : [texts.reasons[reason]]),
      ...(activated === null || ended !== null ? [] : [amount === null ? texts.any : texts.fixed(money(amount))]),
    ].join(' · ');
}

function OneMandate({ mandate, isOfCustomer }: { mandate: Mandate; isOfCustomer: boolean }) {
  const texts = useTexts(mandateTexts);
  const factsOf = useFacts();
  const fatura = useFatura();
  const refused = useRoleRefusal()('mandates.cancel');
  const [isAsking, setAsking] = useState(false);
  const { id, status, subscription } = mandate;
  const isOpen = status === 'pending' || status === 'active';
  return (
    <li className="panel noted">
      <p>
        <Status tone={tones[status]}>{texts.statuses[status]}</Status>{' '}
        {isOfCustomer && <ObjectLink id={subscription}>{texts.subscription}</ObjectLink>}
      </p>
      <small className="soft">{factsOf(mandate)}</small>
      {isOpen && refused === null && (
        <Button kind="quiet" onPress={() => setAsking(true)}>
          {texts.end}
        </Button>
      )}
      <Confirm
        title={texts.endTitle}
        action={texts.end}
        act={(options) => fatura.mandates.cancel(id, options)}
        done={texts.ended}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
      >
        <p>{texts.endText}</p>
      </Confirm>
    </li>
  );
}

/** What a customer authorised to be debited, newest first; nothing where nothing was ever asked for. */
export function Mandates({ of }: { of: Pick<MandateListParams, 'customer_id' | 'subscription_id'> }) {
  const texts = useTexts(mandateTexts);
  const query = useReadList(['mandates', of.customer_id ?? of.subscription_id ?? ''], (fatura, cursor, options) =>
    fatura.mandates.list({ ...of, ...cursor }, options),
  );
  const { data, error, refetch } = query;
  const mandates = data?.pages.flatMap((page) => page.data) ?? [];
  if (error === null && mandates.length === 0) return null;
  return (
    <Panel title={texts.title}>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      <ul className="stack" aria-label={texts.title}>
        {mandates.map((mandate) => (
          <OneMandate key={mandate.id} mandate={mandate} isOfCustomer={of.customer_id !== undefined} />
        ))}
      </ul>
      <LoadMore of={query} />
    </Panel>
  );
}
