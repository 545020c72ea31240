import type { PaymentLink } from '@fatura/sdk';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useRoleRefusal } from '../../api/may.ts';
import { useFatura, useRead } from '../../api/queries.ts';
import { ActionMenu } from '../../parts/action-menu.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { MissingNote } from '../../parts/missing-note.tsx';
import { openBeside, whatsAppUrl } from '../../parts/open-beside.ts';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { Pending } from '../../parts/pending.tsx';
import { When } from '../../parts/when.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { paymentLinkTexts } from './link-texts.ts';
import { LinkStatus } from './links.tsx';
import { useLinkMessage, useLinkWords, useSoldPrices } from './use-link-words.ts';

const route = getRouteApi('/frame/links/$id');

function LinkActions({ link: { id, active } }: { link: PaymentLink }) {
  const texts = useTexts(paymentLinkTexts);
  const fatura = useFatura();
  const refused = useRoleRefusal()('paymentLinks.update');
  const [isAsking, ask] = useState(false);
  const action = active ? texts.switchOff : texts.switchOn;
  return (
    <>
      <ActionMenu actions={[{ id: 'active', name: action, run: () => ask(true), refused, isDanger: active }]} />
      <Confirm
        title={action}
        action={action}
        act={(options) => fatura.paymentLinks.update(id, { active: !active }, options)}
        done={active ? texts.switchedOff : texts.switchedOn}
        isDanger={active}
        isOpen={isAsking}
        onClose={() => ask(false)}
      >
        <p>{active ? texts.switchOffText : texts.switchedOn}</p>
      </Confirm>
    </>
  );
}

/** The address, and the text for whoever is to buy. */
function Share({ link, url }: { link: PaymentLink; url: string }) {
  const texts = useTexts(paymentLinkTexts);
  const message = useLinkMessage(link, url);
  return (
    <Panel title={texts.share}>
      <Facts facts={[[texts.link, <Copyable key="link" text={url} name={texts.theLink} />]]} />
      {message !== null && (
        <>
          <p className="note">{message}</p>
          <div className="actions">
            <Button kind="primary" onPress={() => openBeside(whatsAppUrl('', message))}>
              {texts.whatsApp}
            </Button>
            <Copyable text={message} shown="" name={texts.theMessage} />
          </div>
        </>
      )}
    </Panel>
  );
}

function About({ link }: { link: PaymentLink }) {
  const texts = useTexts(paymentLinkTexts);
  const { number } = useFormat();
  const { data: prices = [] } = useSoldPrices();
  const { amount, sales } = useLinkWords(prices);
  const { id, reserved, created, expires_at: endsAt, subscription_terms: terms } = link;
  const trial = terms?.trial ?? null;
  return (
    <Panel title={texts.about}>
      <Facts
        facts={[
          [texts.price, amount(link)],
          [texts.sales, sales(link)],
          [texts.reserved, number(reserved)],
          [texts.ends, endsAt !== null && <When key="ends" at={endsAt} />],
          [texts.trial, trial !== null && texts.days(trial.days)],
          [texts.promotionCodes, link.allow_promotion_codes && texts.allowed],
          [texts.created, <When key="created" at={created} as="date" />],
          [texts.id, <Copyable key="id" text={id} name={texts.theId} />],
        ]}
      />
      {reserved > 0 && <p className="soft">{texts.reservedHint}</p>}
    </Panel>
  );
}

/** A payment link: what it sold, and how it is handed on. */
export function LinkScreen() {
  const { id } = route.useParams();
  const { data: prices = [] } = useSoldPrices();
  const { what } = useLinkWords(prices);
  const { data, error, refetch } = useRead(['links', id], (fatura, options) =>
    fatura.paymentLinks.retrieve(id, options),
  );
  if (error !== null) return <MissingNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Pending />;
  return (
    <Page title={what(data)} aside={<LinkStatus link={data} />} actions={<LinkActions link={data} />}>
      {data.url !== null && <Share link={data} url={data.url} />}
      <About link={data} />
    </Page>
  );
}
