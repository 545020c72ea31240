import { Fatura, isFaturaError } from '@fatura/sdk';
import { toFetchHandler } from '@fatura/sdk/webhooks';

/** What a program is told to do. */
export interface Order {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** An event as the service signs and sends it. */
  readonly delivery: { readonly secret: string; readonly headers: Record<string, string>; readonly body: string };
}

/** A sale by PIX and a webhook of it, in whatever runs this; answers what came of them. */
export async function sell({ apiKey, baseUrl, delivery }: Order) {
  const fatura = new Fatura({ apiKey, baseUrl });
  const product = await fatura.products.create({ name: 'Plano Ouro' });
  const price = await fatura.prices.create({ product_id: product.id, unit_amount: 9990, type: 'one_time' });
  const { id } = await fatura.invoices.create({
    customer: { name: 'Maria da Silva', identifier: '529.982.247-25', email: 'maria@example.com' },
    line_items: [{ price_id: price.id, quantity: 1 }],
  });
  const charged = await fatura.invoices.checkout(id, { payment_method_type: 'pix' });
  await fatura.testHelpers.paymentIntents.payPix(charged.payment_intent, { scenario: 'paid' });
  const { status, amount_paid } = await fatura.invoices.retrieve(id);
  const again = fatura.invoices.checkout(id, { payment_method_type: 'pix' });
  const refusal = await again.catch((error: unknown) => isFaturaError(error, 'INVOICE_NOT_OPEN') && error.status);
  const listed = await fatura.events.list({ related_object: id }).all({ max: 10 });

  const received: string[] = [];
  const receive = toFetchHandler({
    secrets: delivery.secret,
    onEvent: ({ type }) => void received.push(type),
    onError: () => {},
  });
  const post = async (body: string): Promise<number> => {
    const { headers } = delivery;
    return (await receive(new Request('http://loja.test/webhooks', { method: 'POST', headers, body }))).status;
  };
  const answers = [await post(delivery.body), await post(delivery.body.replace('9990', '1'))];
  return { status, amount_paid, refusal, events: listed.map(({ type }) => type).sort(), answers, received };
}
