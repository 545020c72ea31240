import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakePsp, type MerchantCredentials, type ProfileName, startFakePsp } from '../../dev/fake-psp/psp.ts';
import { needsLanguage, pythonTools } from '../support/toolbox.ts';
import { newTxid } from './bare-client.ts';

const INSTALL_MS = 300_000;
const HERE = join(import.meta.dirname, 'pypix');

const SCOPES = ['rec', 'cobr', 'payloadlocationrec', 'webhookrec']
  .flatMap((name) => [`${name}.read`, `${name}.write`])
  .join(' ');

type Answer = Record<string, unknown>;

/** A PSP, and a client of it that is written by others. */
class Scene {
  /** Unix milliseconds; moved by the tests. */
  now = Date.UTC(2027, 0, 20, 15);
  readonly psp: FakePsp;
  readonly merchant: MerchantCredentials;
  private readonly folder = mkdtempSync(join(tmpdir(), 'fatura-pypix-'));
  private readonly python: string;
  private readonly bank: ProfileName;

  private constructor(parts: { psp: FakePsp; merchant: MerchantCredentials; python: string; bank: ProfileName }) {
    this.psp = parts.psp;
    this.merchant = parts.merchant;
    this.python = parts.python;
    this.bank = parts.bank;
    for (const [name, text] of [
      ['ca.pem', parts.psp.caPem],
      ['client.pem', parts.merchant.certificatePem],
      ['client.key', parts.merchant.keyPem],
    ] as const) {
      writeFileSync(join(this.folder, name), text);
    }
  }

  static async open(bank: ProfileName, python: string): Promise<Scene> {
    const scene: { made?: Scene } = {};
    const psp = await startFakePsp({ profile: bank, clock: () => scene.made?.now ?? 0 });
    scene.made = new Scene({ psp, merchant: await psp.newMerchant(), python, bank });
    return scene.made;
  }

  async call(call: string, ...args: readonly unknown[]): Promise<Answer> {
    const { merchant, psp, folder, bank } = this;
    const child = spawn(join(this.python, 'python'), [join(HERE, 'client.py')], {
      cwd: folder,
      env: { ...process.env, REQUESTS_CA_BUNDLE: join(folder, 'ca.pem') },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const asked = {
      ...{ bank, call, args, baseUrl: psp.baseUrl, tokenUrl: psp.tokenUrl },
      ...{ clientId: merchant.clientId, clientSecret: merchant.clientSecret },
      ...{ certificate: join(folder, 'client.pem'), key: join(folder, 'client.key') },
      scopes: SCOPES,
      account: merchant.extras['x-conta-corrente'] ?? '',
    };
    child.stdin.end(JSON.stringify(asked));
    return (await json(child.stdout)) as Answer;
  }

  at(day: string, hour: number): void {
    this.now = Date.parse(`${day}T00:00:00Z`) + (hour + 3) * 3_600_000;
    this.psp.tick(this.merchant);
  }

  async close(): Promise<void> {
    rmSync(this.folder, { recursive: true });
    await this.psp.close();
  }
}

let python: string;

beforeAll(async () => {
  const context = { task: { name: 'pypix-api' }, skip: () => {} };
  await needsLanguage(context, 'python');
  python = await pythonTools('pypix', join(HERE, 'requirements.txt'));
}, INSTALL_MS);

const charge = (idRec: string) => ({
  idRec,
  calendario: { dataDeVencimento: '2027-02-01' },
  valor: { original: '99.90' },
  ajusteDiaUtil: false,
  recebedor: { conta: '997182', tipoConta: 'CORRENTE' },
});

describe.each(['sicredi', 'sicoob', 'inter'] as const)('pypix-api at the PSP %s', (bank) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open(bank, python);
  });
  afterAll(() => scene.close());

  async function newRec(): Promise<string> {
    const location = await scene.call('criar_location_rec');
    const isOurs = scene.psp.profile.recId === 'merchant';
    const rec = await scene.call('criar_recorrencia', {
      ...(isOurs && {
        idRec: await scene.call('gerar_id_rec', scene.psp.profile.ispb, 'PERMITE_3R_7D', '2027-01-20'),
      }),
      vinculo: { contrato: newTxid().slice(0, 26), devedor: { cpf: '52998224725', nome: 'Maria' } },
      calendario: { dataInicial: '2027-02-01', periodicidade: 'MENSAL' },
      valor: {},
      politicaRetentativa: 'PERMITE_3R_7D',
      loc: location.id,
    });
    expect(rec).toMatchObject({ status: 'CRIADA', loc: { id: location.id } });
    return String(rec.idRec);
  }

  test('creates a recurrence, has it approved, charges it, tries again and cancels', async () => {
    scene.at('2027-01-25', 12);
    const idRec = await newRec();
    expect(await scene.call('consultar_recorrencia', idRec)).toMatchObject({ dadosQR: { jornada: 'JORNADA_2' } });
    scene.psp.approve(scene.merchant, idRec);
    const txid = newTxid();
    expect(await scene.call('criar_cobr_com_txid', txid, charge(idRec))).toMatchObject({ txid, status: 'CRIADA' });
    scene.psp.decideDebit(scene.merchant, txid, { code: 'AM02' });
    scene.at('2027-02-01', 21);
    await scene.call('solicitar_retentativa_cobr', txid, '2027-02-02');
    scene.at('2027-02-02', 6);
    expect(await scene.call('consultar_cobr', txid)).toMatchObject({
      status: 'CONCLUIDA',
      tentativas: [{ status: 'REJEITADA' }, { status: 'PAGA' }],
    });
    expect(await scene.call('cancelar_recorrencia', idRec)).toMatchObject({ status: 'CANCELADA' });
    expect(await scene.call('cancelar_recorrencia', idRec)).toMatchObject({ refused: 400 });
  });

  test('takes a debit back, and registers where it is told', async () => {
    scene.at('2027-01-25', 12);
    const idRec = await newRec();
    scene.psp.approve(scene.merchant, idRec);
    const txid = newTxid();
    await scene.call('criar_cobr_com_txid', txid, charge(idRec));
    expect(await scene.call('cancelar_cobr', txid)).toMatchObject({ status: 'CANCELADA' });
    expect(await scene.call('consultar_cobr', newTxid())).toMatchObject({ refused: 404 });
    await scene.call('configurar_webhook_rec', 'https://loja.example.com/pix');
    expect(await scene.call('consultar_webhook_rec')).toMatchObject({ webhookUrl: 'https://loja.example.com/pix' });
  });
});
