import { toFetchHandler } from '@fatura/sdk/webhooks';
import { Hono } from 'hono';
import { handling } from './inbox.ts';
import { failurePage, homePage, missingPage, refusedPage, salePage } from './pages.ts';
import { saleOf } from './sales.ts';
import { orderOf, payInSandbox, sell } from './shop.ts';

const receive = toFetchHandler(handling);

export const app = new Hono();

app.post('/webhooks', (context) => receive(context.req.raw));

app.get('/', (context) => context.html(homePage()));

app.post('/buy', async (context) => {
  const order = orderOf(context.req.query('order'));
  if (order === null) return context.html(refusedPage(), 400);
  const { invoice } = await sell(order);
  return context.redirect(`/sales/${invoice}`, 303);
});

app.get('/sales/:invoice', (context) => {
  const sale = saleOf(context.req.param('invoice'));
  return sale === null ? context.html(missingPage(), 404) : context.html(salePage(sale));
});

app.post('/sales/:invoice/pay', async (context) => {
  const invoice = context.req.param('invoice');
  await payInSandbox(invoice);
  return context.redirect(`/sales/${invoice}`, 303);
});

app.onError((error, context) => {
  console.error(error);
  return context.html(failurePage(error), 500);
});
