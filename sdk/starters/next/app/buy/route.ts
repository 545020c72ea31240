import { orderOf, sell } from '../../src/shop.ts';

export async function POST(request: Request): Promise<Response> {
  const order = orderOf(new URL(request.url).searchParams.get('order'));
  if (order === null) return new Response('Este pedido não é válido.', { status: 400 });
  const { invoice } = await sell(order);
  return new Response(null, { status: 303, headers: { location: `/sales/${invoice}` } });
}
