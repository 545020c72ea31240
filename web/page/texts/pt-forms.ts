import type { Every, Method } from '../page-data.ts';

const MONTHS_IN_YEAR = 12;
const intervals = {
  day: { each: 'todo dia', one: 'dia', several: 'dias' },
  week: { each: 'toda semana', one: 'semana', several: 'semanas' },
  month: { each: 'todo mês', one: 'mês', several: 'meses' },
  year: { each: 'todo ano', one: 'ano', several: 'anos' },
} as const;

/** Twelve months are a year to whoever reads of them. */
function partsOf({ interval, count }: Every) {
  const isYears = interval === 'month' && count % MONTHS_IN_YEAR === 0;
  return { words: intervals[isYears ? 'year' : interval], count: isYears ? count / MONTHS_IN_YEAR : count };
}

/** `todo mês`, `a cada 3 meses` */
export function everyTime(every: Every): string {
  const { words, count } = partsOf(every);
  return count === 1 ? words.each : `a cada ${count} ${words.several}`;
}

/** `12 meses`, in the unit that it was told in. */
export const several = ({ interval, count }: Every): string => `${count} ${intervals[interval].several}`;

/** `mês`, `3 meses` */
export function period(every: Every): string {
  const { words, count } = partsOf(every);
  return count === 1 ? words.one : `${count} ${words.several}`;
}

export const methodNames: Readonly<Record<Method, string>> = {
  pix_automatico: 'Pix Automático',
  pix: 'PIX',
  card: 'Cartão',
};

export const code = {
  pix: {
    make: 'Gerar código PIX',
    again: 'Gerar novo código PIX',
    note: 'O código é criado na hora e pode ser pago no aplicativo de qualquer banco.',
    confirm: 'Confira quem recebe e o valor, e confirme.',
    waiting: 'Aguardando o pagamento. Esta página avisa quando ele chegar.',
    simulate: 'Simular pagamento',
  },
  mandate: {
    make: 'Gerar código do Pix Automático',
    again: 'Gerar novo código do Pix Automático',
    note: 'O código é criado na hora e pode ser autorizado no aplicativo de qualquer banco.',
    confirm: 'Confira quem recebe e o que você autoriza, e confirme.',
    waiting: 'Aguardando a autorização. Esta página avisa quando ela chegar.',
    simulate: 'Simular autorização',
  },
  making: 'Gerando o código …',
  simulating: 'Simulando …',
  copy: 'Copiar código PIX',
  copied: 'Código copiado',
  copiedAloud: 'Código PIX copiado. Cole no aplicativo do seu banco.',
  copyPaste: 'PIX copia e cola',
  show: 'Ver o código',
  drawing: (amount: string | null) => (amount === null ? 'QR code PIX' : `QR code PIX de ${amount}`),
  recipient: 'Quem recebe',
  amount: 'Valor',
  steps: [
    'Copie o código, ou abra a câmera do aplicativo do seu banco para ler o QR code.',
    'No aplicativo, escolha PIX e cole o código.',
  ],
  until: 'Este código vale até',
  left: 'Tempo que resta:',
  refresh: 'Já paguei: atualizar esta página',
  ended:
    'O código anterior venceu. Se você já pagou com ele, não pague de novo: antes de gerar outro, perguntamos ao banco.',
};

export const mandate = {
  now: (amount: string) => `Com um só código, você paga ${amount} agora e autoriza `,
  later: 'Hoje nada é cobrado. Com o código, você autoriza ',
  rest: (every: Every) =>
    ` a debitar da sua conta as próximas cobranças, a cada ${period(every)}, no valor de cada uma. Você encerra a autorização quando quiser, no aplicativo do seu banco ou na página da sua assinatura.`,
  end: 'Encerrar a autorização',
  ending: 'Encerrando …',
  authorised:
    'Você autorizou o débito de cada cobrança na sua conta. Sem a autorização, o código PIX chega por e-mail.',
};

export const buyer = {
  title: 'Seus dados',
  name: 'Nome completo',
  cpf: 'CPF',
  cnpj: 'CNPJ',
  either: ' ou CNPJ',
  hasCnpj: 'Tenho CNPJ',
  hasCpf: 'Tenho CPF',
  email: 'E-mail',
  phone: 'Celular com DDD',
  didYouMean: 'Você quis dizer',
  next: 'Continuar para o pagamento',
  nextLater: 'Continuar',
  confirm: 'Confirmar assinatura',
  going: 'Continuando …',
  note: 'Seus dados vão para a loja, que os usa nesta compra.',
  errors: {
    name: 'Informe seu nome completo.',
    nameAddress: 'Escreva só o nome, sem endereço de site; depois de um ponto, deixe um espaço.',
    noIdentifier: 'Informe seu CPF ou CNPJ.',
    identifier: 'Confira o CPF ou CNPJ.',
    email: 'Confira o e-mail, como nome@exemplo.com.',
    phone: 'Informe o celular com DDD.',
    field: 'Confira este campo.',
  },
};

export const card = {
  number: 'Número do cartão',
  name: 'Nome impresso no cartão',
  expiry: 'Validade',
  expiryHint: 'MM/AA',
  cvc: 'CVV',
  cvcHint: '3 dígitos no verso',
  cvcHintAmex: '4 dígitos na frente',
  document: 'CPF do titular do cartão',
  ownDocument: (document: string) => `É o meu CPF (${document})`,
  installments: 'Parcelas',
  once: (amount: string) => `À vista: ${amount}`,
  times: (count: number, amount: string) => `${count}x de ${amount} sem juros`,
  odd: (amount: string) => ` (a primeira de ${amount})`,
  total: (amount: string) => `Total: ${amount}, sem juros`,
  address: 'Endereço de cobrança (opcional)',
  addressHint: 'Ajuda o banco a aprovar a compra.',
  parts: {
    postalCode: 'CEP',
    street: 'Rua',
    streetNumber: 'Número',
    complement: 'Complemento',
    neighborhood: 'Bairro',
    city: 'Cidade',
    state: 'UF',
  },
  testCards: 'Cartões de teste',
  pay: (amount: string) => `Pagar ${amount}`,
  payTimes: (count: number, amount: string) => `Pagar ${count}x de ${amount}`,
  paying: 'Processando o pagamento …',
  save: 'Salvar este cartão',
  saving: 'Salvando o cartão …',
  beginTrial: 'Começar teste grátis',
  checking: 'Conferindo o cartão …',
  verified: 'O cartão é conferido com o banco e nada é cobrado agora.',
  viaUs: 'O número e o código de segurança vão direto para a cobrança e não ficam guardados.',
  direct:
    'O número e o código de segurança vão do seu navegador direto para quem processa o cartão, sem passar pela loja.',
  keeps:
    'Ao continuar, você autoriza guardar este cartão para as próximas cobranças da assinatura, até você trocar ou cancelar.',
  toPix: 'Pagar com PIX',
  errors: {
    noNumber: 'Informe o número do cartão.',
    number: 'Confira o número do cartão.',
    name: 'Informe o nome como está impresso no cartão.',
    expiry: 'Informe mês e ano.',
    cvc: (length: number) => `Informe os ${length} dígitos do CVV.`,
    noDocument: 'Informe o CPF do titular.',
    document: 'Confira o CPF do titular.',
    postalCode: 'O CEP tem 8 números.',
    state: 'Confira a UF, como SP.',
    field: 'Confira este campo.',
  },
};
