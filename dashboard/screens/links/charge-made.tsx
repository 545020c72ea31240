import { Link } from '@tanstack/react-router';
import { useFatura } from '../../api/queries.ts';
import { useAct } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { firstName, openBeside, whatsAppUrl } from '../../parts/open-beside.ts';
import { Facts, Panel } from '../../parts/page.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { ChargeMade } from './charge-order.ts';
import { linkTexts } from './texts.ts';

interface ChargeReadyProps extends ChargeMade {
  readonly again: () => void;
}

/** Enough of a code to see that it is one. */
const SHOWN_LETTERS = 32;

const shortened = (code: string): string => (code.length > SHOWN_LETTERS ? `${code.slice(0, SHOWN_LETTERS)}…` : code);

/** All that a buyer needs to pay, to be handed on. */
export function ChargeReady({ invoice, pix, phone, again }: ChargeReadyProps) {
  const texts = useTexts(linkTexts);
  const { money, date } = useFormat();
  const fatura = useFatura();
  const send = useAct((id: string, options) => fatura.invoices.send(id, options), { done: texts.sent });
  const url = invoice.payment_url ?? '';
  const name = invoice.customer_name;
  const message = texts.text(firstName(name), money(invoice.total), date(invoice.due_at), url);
  return (
    <Panel title={texts.ready(money(invoice.total), name)}>
      <p>{texts.dueOn(date(invoice.due_at))}</p>
      {pix === null ? (
        <p className="note warn">{texts.noQr}</p>
      ) : (
        <img className="qr" src={pix.image} alt={texts.qr} width={200} height={200} />
      )}
      <Facts
        facts={[
          [texts.paymentLink, <Copyable key="link" text={url} name={texts.theLink} />],
          [
            texts.pix,
            pix !== null && <Copyable text={pix.copyPaste} shown={shortened(pix.copyPaste)} name={texts.thePix} />,
          ],
        ]}
      />
      <p className="note">{message}</p>
      {send.error !== null && <ErrorNote error={send.error} />}
      <div className="actions">
        <Button kind="primary" autoFocus onPress={() => openBeside(whatsAppUrl(phone ?? '', message))}>
          {texts.whatsApp}
        </Button>
        <Button isPending={send.isPending} onPress={() => send.run(invoice.id)}>
          {texts.send}
        </Button>
        <Link to="/invoices/$id" params={{ id: invoice.id }} className="button secondary">
          {texts.seeInvoice}
        </Link>
        <Button onPress={again}>{texts.newCharge}</Button>
      </div>
    </Panel>
  );
}
