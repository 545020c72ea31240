import { payInSandbox } from '../../../../src/shop.ts';

export async function POST(_request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  const { id } = await params;
  await payInSandbox(id);
  return new Response(null, { status: 303, headers: { location: `/sales/${id}` } });
}
