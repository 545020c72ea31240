// For runtimes that answer requests, such as Cloudflare Workers.
import { sell } from './sale.ts';

export default { fetch: async (request: Request) => Response.json(await sell(await request.json())) };
