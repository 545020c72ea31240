// For runtimes that are told by their environment and heard by what they print.
import { sell } from './sale.ts';

sell(JSON.parse(process.env.ORDER ?? '')).then((sold) => console.log(JSON.stringify(sold)));
