import fc from 'fast-check';
import { type PixDynamicObject, parsePix } from 'pix-utils';
// @ts-expect-error it comes with qrcode, without types
import { PNG } from 'pngjs';
import QRCode from 'qrcode';
import { describe, expect, test } from 'vitest';
import { cents } from '../../../server/kernel/money.ts';
import { brCode, qrPngDataUrl } from '../../../server/payments/acquirer/br-code.ts';

const LOCATION = 'pix.fatura.test/qr/v2/cobv/01h455vb4pex5vsknk084sn02q';

function content(overrides: Partial<Parameters<typeof brCode>[0]> = {}) {
  return { location: LOCATION, amount: cents(1_234), merchantName: 'Loja', merchantCity: 'SAO PAULO', ...overrides };
}

/** Reads the fields of a TLV text, in order. */
function fields(text: string): [string, string][] {
  const found: [string, string][] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + 4 + Number(text.slice(at + 2, at + 4));
    found.push([text.slice(at, at + 2), text.slice(at + 4, end)]);
    at = end;
  }
  return found;
}

function field(text: string, id: string): string | undefined {
  return fields(text).find(([tag]) => tag === id)?.[1];
}

const location = fc
  .tuple(fc.stringMatching(/^[a-z]{1,10}\.[a-z]{2,6}$/), fc.stringMatching(/^[a-z0-9/-]{0,59}$/))
  .map(([host, path]) => `${host}/${path}`);

describe('a BR Code', () => {
  test('has the fields of a dynamic charge, in the order of the rule', () => {
    const code = brCode(content({ merchantName: 'Padaria São João', merchantCity: 'São Paulo' }));
    expect(fields(code)).toEqual([
      ['00', '01'],
      ['01', '12'],
      ['26', `0014br.gov.bcb.pix25${LOCATION.length}${LOCATION}`],
      ['52', '0000'],
      ['53', '986'],
      ['54', '12.34'],
      ['58', 'BR'],
      ['59', 'Padaria Sao Joao'],
      ['60', 'Sao Paulo'],
      ['62', '0503***'],
      ['63', code.slice(-4)],
    ]);
  });

  test("carries the checksum of the central bank's published example", () => {
    // Manual de Padrões para Iniciação do Pix, static example; only the checksum rule is shared with ours.
    const example =
      '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';
    expect(parsePix(example)).toMatchObject({ type: 'STATIC' });
    expect(checksum(example.slice(0, -4))).toBe('1D3D');
  });

  test('is read back by an independent parser, whatever the merchant and the amount', () => {
    fc.assert(
      fc.property(
        location,
        fc.integer({ min: 1, max: 999_999_999_999 }),
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        (at, amount, merchantName, merchantCity) => {
          const code = brCode({ location: at, amount: cents(amount), merchantName, merchantCity });
          const parsed = parsePix(code) as PixDynamicObject; // type is asserted on the next line
          expect(parsed.type).toBe('DYNAMIC');
          expect(parsed.url).toBe(at);
          expect(parsed.merchantName).toMatch(/^[\x21-\x7e](?:[\x20-\x7e]{0,23}[\x21-\x7e])?$/);
          expect(parsed.merchantCity).toMatch(/^[\x21-\x7e](?:[\x20-\x7e]{0,13}[\x21-\x7e])?$/);
          expect(Math.round(Number(field(code, '54')) * 100)).toBe(amount);
          expect(code.slice(-4)).toBe(checksum(code.slice(0, -4)));
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each([
    ['Padaria São João Açaí & Cia', 'Padaria Sao Joao Acai & C'],
    ['  Loja\tdo \n José  ', 'Loja do Jose'],
    ['Loja nº 1ª', 'Loja no 1a'],
    ['Ｌｏｊａ', 'Loja'],
    ['abcdefghijklmnopqrstuvwx yz', 'abcdefghijklmnopqrstuvwx'],
    ['Café 🍰 Doce', 'Cafe Doce'],
    ['Große Straße €', 'Grosse Strasse'],
    ['Łódź Đà Æbler Œuvre', 'Lodz Da AEbler OEuvre'],
    ['Smørrebrød Isı ǿ', 'Smorrebrod Isi o'],
    ['寿司', 'RECEBEDOR'],
    ['', 'RECEBEDOR'],
  ])('writes the name %j as %j', (merchantName, expected) => {
    expect(field(brCode(content({ merchantName })), '59')).toBe(expected);
  });

  test.each([
    ['São José dos Campos', 'Sao Jose dos Ca'],
    ['Brasília', 'Brasilia'],
    ['東京', 'SAO PAULO'],
  ])('writes the city %j as %j', (merchantCity, expected) => {
    expect(field(brCode(content({ merchantCity })), '60')).toBe(expected);
  });

  test.each([
    [1, '0.01'],
    [10, '0.10'],
    [100, '1.00'],
    [999_999, '9999.99'],
    [999_999_999_999, '9999999999.99'],
  ])('writes %i cents as %s', (amount, expected) => {
    expect(field(brCode(content({ amount: cents(amount) })), '54')).toBe(expected);
  });

  test('takes the longest location that its template holds, and none longer', () => {
    const longest = `pix.test/${'x'.repeat(68)}`;
    expect(parsePix(brCode(content({ location: longest })))).toMatchObject({ url: longest });
    expect(() => brCode(content({ location: `${longest}x` }))).toThrow(/at most 77/);
  });

  test.each(['https://pix.fatura.test/1', '', 'pix.test/ção', 'pix.test/a b', '/qr'])(
    'refuses the location %j',
    (at) => {
      expect(() => brCode(content({ location: at }))).toThrow(RangeError);
    },
  );

  test('is never of nothing', () => {
    expect(() => brCode(content({ amount: cents(0) }))).toThrow(RangeError);
  });
});

describe('the picture of a BR Code', () => {
  test('shows the QR code that the library encodes, four pixels a module, inside a quiet zone of four modules', async () => {
    const code = brCode(content());
    const url = await qrPngDataUrl(code);
    expect(url).toMatch(/^data:image\/png;base64,[A-Za-z0-9+/]+=*$/);
    const image = PNG.sync.read(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'));
    const { modules } = QRCode.create([{ data: Buffer.from(code), mode: 'byte' }], {
      errorCorrectionLevel: 'M',
      maskPattern: 2,
    });
    expect(image.width).toBe((modules.size + 8) * 4);
    expect(image.height).toBe(image.width);
    for (let y = 0; y < image.height; y++) {
      for (let x = 0; x < image.width; x++) {
        const row = Math.floor(y / 4) - 4;
        const column = Math.floor(x / 4) - 4;
        const inside = row >= 0 && column >= 0 && row < modules.size && column < modules.size;
        const dark = inside && modules.data[row * modules.size + column] === 1;
        if (image.data[(y * image.width + x) * 4] !== (dark ? 0 : 255)) throw new Error(`wrong pixel at ${x}, ${y}`);
      }
    }
  });

  test('stays a small text, also for the longest BR Code', async () => {
    const longest = content({
      location: `pix.test/${'x'.repeat(68)}`,
      merchantName: 'N'.repeat(25),
      merchantCity: 'C'.repeat(15),
    });
    expect((await qrPngDataUrl(brCode(longest))).length).toBeLessThan(3_000);
  });
});

/** CRC16-CCITT-FALSE, bit by bit: independent of the table-driven one under test. */
function checksum(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff) >>> 0;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
