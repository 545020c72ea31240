import { sell } from '../../src/shop.ts';

export async function POST(request: Request): Promise<Response> {
  const { invoice } = await sell(new URL(request.url).searchParams.get('order') ?? '');
  return new Response(null, { status: 303, headers: { location: `/sales/${invoice}` } });
}
