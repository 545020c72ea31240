import { startPostgres } from '../../../dev/embedded/postgres.ts';

const [dir = '.'] = process.argv.slice(2);
const server = await startPostgres({ dir, settings: { fsync: 'off', shared_buffers: '16MB' } });
console.log(`running ${server.pid} ${server.url}`);
process.on('SIGTERM', () => server.stop());
await server.exited;
