import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@fatura/sdk/webhooks';
import { handling } from './inbox.ts';
import { failurePage, homePage, missingPage, refusedPage, salePage } from './pages.ts';
import { saleOf } from './sales.ts';
import { orderOf, payInSandbox, sell } from './shop.ts';

const receive = toNodeHandler(handling);

const send = (response: ServerResponse, status: number, html: string): void =>
  void response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(html);

const redirect = (response: ServerResponse, location: string): void => void response.writeHead(303, { location }).end();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const [, invoice, pay] = /^\/sales\/(\w+)(\/pay)?$/.exec(pathname) ?? [];
  switch (`${request.method} ${invoice === undefined ? pathname : `/sales/:invoice${pay ?? ''}`}`) {
    case 'POST /webhooks':
      return receive(request, response);
    case 'GET /':
      return send(response, 200, homePage());
    case 'POST /buy': {
      const order = orderOf(searchParams.get('order'));
      if (order === null) return send(response, 400, refusedPage());
      return redirect(response, `/sales/${(await sell(order)).invoice}`);
    }
    case 'GET /sales/:invoice': {
      const sale = saleOf(invoice ?? '');
      return sale === null ? send(response, 404, missingPage()) : send(response, 200, salePage(sale));
    }
    case 'POST /sales/:invoice/pay':
      await payInSandbox(invoice ?? '');
      return redirect(response, `/sales/${invoice}`);
    default:
      return send(response, 404, missingPage());
  }
}

export function app(request: IncomingMessage, response: ServerResponse): void {
  answer(request, response).catch((error: unknown) => {
    console.error(error);
    send(response, 500, failurePage(error));
  });
}
