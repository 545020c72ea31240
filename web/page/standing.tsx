import type { ComponentChildren } from 'preact';
import { date, isoInstant, moment, money } from './format.ts';
import { isDone, type Links, type PurchaseView, type Standing } from './page-data.ts';
import { standingNames, worded } from './texts.ts';

type Closed = Exclude<Standing, 'payable' | 'buyer' | 'renewing' | 'card_needed'>;

interface Told {
  readonly title: string;
  readonly sign: 'wait' | 'done' | 'none';
  readonly text: string;
}

/** What a buyer is told of a purchase that cannot be paid now (docs/product/payment-page.md#standings). */
const told: Readonly<Record<Closed, Told>> = {
  processing: {
    title: standingNames.processing,
    sign: 'wait',
    text: 'Há um pagamento desta fatura em andamento. O resultado aparece aqui assim que o banco responder.',
  },
  scheduled: {
    title: standingNames.scheduled,
    sign: 'wait',
    text: 'O Pix Automático debita esta fatura da sua conta. Não pague de outra forma: o resultado aparece aqui.',
  },
  unknown: {
    title: 'Ainda não sabemos o resultado',
    sign: 'wait',
    text:
      'O banco não respondeu a tempo, e o cartão pode ou não ter sido cobrado. Não pague de novo: estamos perguntando ao ' +
      'banco, e o resultado aparece aqui. Você pode fechar esta página e voltar mais tarde pelo mesmo endereço.',
  },
  confirmed: {
    title: standingNames.confirmed,
    sign: 'wait',
    text: 'O banco confirmou o pagamento e ainda vai liquidá-lo. Não pague de novo.',
  },
  paid: { title: 'Pagamento recebido', sign: 'done', text: 'O pagamento foi recebido. Obrigado!' },
  begun: { title: 'Assinatura confirmada', sign: 'done', text: 'Hoje nada foi cobrado.' },
  void: { title: 'Fatura cancelada', sign: 'none', text: 'Esta fatura foi cancelada e não precisa ser paga.' },
  billed: {
    title: 'Há uma cobrança em aberto',
    sign: 'none',
    text: 'Para manter a sua assinatura, pague a cobrança que está em aberto.',
  },
  expired: {
    title: 'O prazo para pagar acabou',
    sign: 'none',
    text: 'Nada foi cobrado. Se você já pagou por PIX depois do prazo, o valor volta para a sua conta. Para comprar, volte à loja.',
  },
};

export const Sign = ({ sign }: { sign: Told['sign'] }) =>
  sign === 'none' ? null : (
    <svg class={`sign ${sign}`} viewBox="0 0 48 48" aria-hidden="true">
      <circle cx="24" cy="24" r="20" />
      <path d={sign === 'done' ? 'M15 25l6 6 12-13' : 'M24 14v11l7 5'} />
    </svg>
  );

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

function methodName({ method, installments }: NonNullable<PurchaseView['paidBy']>): string {
  if (method === 'pix') return 'PIX';
  if (method === 'pix_automatico') return 'Pix Automático';
  return installments === 1 ? 'Cartão, à vista' : `Cartão, em ${installments} parcelas`;
}

const Receipt = ({ purchase: { amount, paidAt, paidBy, amountRefunded } }: { purchase: PurchaseView }) => (
  <dl class="receipt">
    <Fact name="Valor pago">{money(amount)}</Fact>
    {paidAt !== null && (
      <Fact name="Paga em">
        <time dateTime={isoInstant(paidAt)}>{moment(paidAt)}</time>
      </Fact>
    )}
    {paidBy !== null && <Fact name="Pago com">{methodName(paidBy)}</Fact>}
    {amountRefunded > 0 && <Fact name="Devolvido">{money(amountRefunded)}</Fact>}
  </dl>
);

/** Leads back: after a payment to where the shop thanks, else to where it sells. */
function BackToShop({ links, isPaid }: { links: Links; isPaid: boolean }) {
  const to = isPaid ? links.success : links.back;
  if (to === null) return null;
  return (
    <p>
      <a class="primary" href={to}>
        Voltar à loja
      </a>
    </p>
  );
}

/** A purchase that cannot be paid now: why, and what comes next. */
export function Closed({ purchase, standing }: { purchase: PurchaseView; standing: Closed }) {
  const { title, sign, text } = told[standing];
  return (
    <section class="panel closed" aria-labelledby="standing">
      <Sign sign={sign} />
      <h2 id="standing" tabIndex={-1}>
        {worded(purchase.kind, title)}
      </h2>
      <p>{worded(purchase.kind, text)}</p>
      {standing === 'scheduled' && purchase.debitedOn !== null && (
        <p>
          Será debitado em <time dateTime={isoInstant(purchase.debitedOn)}>{date(purchase.debitedOn)}</time>.
        </p>
      )}
      {standing === 'paid' && <Receipt purchase={purchase} />}
      {purchase.receipt !== null && (
        <p class="note">
          <a href={purchase.receipt}>Ver recibo</a>
        </p>
      )}
      {standing === 'begun' && (
        <p>
          A primeira cobrança, de {money(purchase.amount)}, é em{' '}
          <time dateTime={isoInstant(purchase.dueAt)}>{date(purchase.dueAt)}</time>, a não ser que você cancele antes.
        </p>
      )}
      {purchase.links !== null && sign !== 'wait' && <BackToShop links={purchase.links} isPaid={isDone(purchase)} />}
      {standing === 'billed' && (
        <p>
          <a class="primary" href="?">
            Ver a cobrança
          </a>
        </p>
      )}
      {sign === 'wait' && (
        <noscript>
          <p>
            <a href="?">Atualizar esta página</a>
          </p>
        </noscript>
      )}
    </section>
  );
}
