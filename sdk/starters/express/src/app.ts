import { toNodeHandler } from '@fatura/sdk/webhooks';
import express, { type ErrorRequestHandler } from 'express';
import { handling } from './inbox.ts';
import { failurePage, homePage, missingPage, refusedPage, salePage } from './pages.ts';
import { saleOf } from './sales.ts';
import { orderOf, payInSandbox, sell } from './shop.ts';

export const app = express();

// Ahead of express.json(), should you need it: a body that was parsed has lost its bytes, and with them its signature.
app.post('/webhooks', toNodeHandler(handling));

app.get('/', (_request, response) => {
  response.send(homePage());
});

app.post('/buy', async (request, response) => {
  const order = orderOf(request.query.order);
  if (order === null) {
    response.status(400).send(refusedPage());
    return;
  }
  const { invoice } = await sell(order);
  response.redirect(303, `/sales/${invoice}`);
});

app.get('/sales/:invoice', (request, response) => {
  const sale = saleOf(request.params.invoice);
  response.status(sale === null ? 404 : 200).send(sale === null ? missingPage() : salePage(sale));
});

app.post('/sales/:invoice/pay', async (request, response) => {
  await payInSandbox(request.params.invoice);
  response.redirect(303, `/sales/${request.params.invoice}`);
});

const tellFailure: ErrorRequestHandler = (error, _request, response, _next) => {
  console.error(error);
  response.status(500).send(failurePage(error));
};
app.use(tellFailure);
