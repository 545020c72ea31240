import { describe, expect, test } from 'vitest';
import { type Found, finder } from '../../../site/browser/find.ts';
import { writeDocs } from '../../../site/write.ts';

const texts = writeDocs({ script: 'main.js', style: 'main.css' });

function searchIn(language: 'pt' | 'en'): (asked: string) => Found[] {
  const index = texts.find(({ path }) => path === `/docs/${language}/search.json`);
  return finder(JSON.parse(index?.text ?? ''));
}

/** What people type, and where one of the first two hits leads. */
const everyday: Record<'pt' | 'en', [asked: string, leadsTo: string][]> = {
  pt: [
    ['reembolso', '/guides/refunds'],
    ['estorno', '/guides/refunds'],
    ['devolução', '/guides/refunds'],
    ['chargeback', '/guides/refunds#contestações'],
    ['contestação', '/guides/refunds#contestações'],
    ['paginação', '/api#listas'],
    ['boleto', '/guides/not-offered#boleto'],
    ['nota fiscal', '/guides/not-offered#nota-fiscal'],
    ['NFS-e', '/guides/not-offered#nota-fiscal'],
    ['saque', '/guides/not-offered#saque'],
    ['transferência', '/guides/not-offered#saque'],
    ['cupom', '/api/coupons#coupons.create'],
    ['cupom de desconto', '/guides/coupons'],
    ['pix automático', '/guides/subscriptions#renovação-no-pix-automático'],
    ['débito automático', '/guides/subscriptions#renovação-no-pix-automático'],
    ['juros e multa', '/guides/subscriptions#multa-e-juros-por-atraso'],
    ['split', '/guides/not-offered#split-e-marketplaces'],
    ['erro 401', '/errors#API_KEY_INVALID'],
    ['erro 429', '/errors#RATE_LIMITED'],
    ['códigos de erro', '/errors'],
    ['cobrança recorrente', '/guides/subscriptions'],
    ['mensalidade', '/guides/subscriptions'],
    ['inadimplência', '/guides/subscriptions#quando-um-cartão-é-recusado'],
    ['cancelar assinatura', '/guides/subscriptions#altere-e-cancele'],
    ['trocar cartao', '/guides/subscriptions#deixe-o-cliente-trocar-o-cartão'],
    ['parcelas', '/guides/cards#parcelamento'],
    ['cartão recusado', '/guides/subscriptions#quando-um-cartão-é-recusado'],
    ['cartão de teste', '/guides/testing#cartões-de-teste'],
    ['homologação', '/guides/testing'],
    ['webhook não chega', '/guides/webhooks#quando-você-não-responde'],
    ['verificar assinatura do webhook', '/guides/webhooks#verifique'],
    ['link de pagamento', '/guides/hosted-page#venda-por-um-link-de-pagamento'],
    ['pix copia e cola', '/guides/pix#gere-um-qr-code'],
    ['cobrança duplicada', '/guides/pix#pago-em-dobro'],
    ['vencimento', '/guides/pix#pago-com-atraso'],
    ['limite de requisições', '/api#limites'],
    ['certificado pix', '/guides/going-live#pix-real-no-seu-banco'],
    ['CARD_DECLINED', '/errors#CARD_DECLINED'],
    ['invoices.checkout', '/api/invoices#invoices.checkout'],
  ],
  en: [
    ['refund', '/api/refunds#refunds.create'],
    ['chargeback', '/guides/refunds#disputes'],
    ['pagination', '/api#lists'],
    ['boleto', '/guides/not-offered#boleto'],
    ['nota fiscal', '/guides/not-offered#fiscal-documents'],
    ['tax invoice', '/guides/not-offered#fiscal-documents'],
    ['payout', '/guides/not-offered#payouts'],
    ['coupon', '/api/coupons#coupons.retrieve'],
    ['error 401', '/errors#API_KEY_INVALID'],
    ['recurring billing', '/guides/subscriptions'],
    ['installments', '/guides/cards#installments'],
    ['my webhook does not arrive', '/guides/webhooks#when-you-do-not-answer'],
    ['verify webhook signature', '/guides/webhooks#verify'],
    ['duplicate charge', '/guides/pix#paid-twice'],
    ['rate limit', '/api#limits'],
    ['test card', '/guides/testing#test-cards'],
  ],
};

describe.each(['pt', 'en'] as const)('the search of the docs, in %s', (language) => {
  const search = searchIn(language);

  test.each(everyday[language])('leads from "%s" to %s', (asked, leadsTo) => {
    const first = search(asked)
      .slice(0, 2)
      .map(({ url }) => url);
    expect(first).toContain(`/docs/${language}${leadsTo}`);
  });

  test('finds nothing where nothing is', () => {
    expect(search('xyzzy')).toEqual([]);
  });
});
