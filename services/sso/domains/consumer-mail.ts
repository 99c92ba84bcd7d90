// Public mail providers. The lists on npm also contain companies and universities, which could then
// not verify their own domains, so this list has the large providers only. For other providers the
// DNS challenge is the protection.

/** Brands with the same name in every country. */
const brands: ReadonlySet<string> = new Set([
  'aol',
  'gmail',
  'gmx',
  'googlemail',
  'hotmail',
  'rocketmail',
  'yahoo',
  'yandex',
  'ymail',
]);

const domains: ReadonlySet<string> = new Set(
  [
    '126.com 163.com alice.it arcor.de att.net bigpond.com bluewin.ch bol.com.br btinternet.com centrum.cz comcast.net cox.net daum.net',
    'docomo.ne.jp duck.com fastmail.com fastmail.fm foxmail.com free.fr freenet.de hanmail.net hey.com hushmail.com icloud.com inbox.lv',
    'interia.pl laposte.net libero.it live.com mac.com mail.com mail.ru mailbox.org mailinator.com me.com msn.com naver.com o2.pl onet.pl',
    'optonline.net orange.fr outlook.com outlook.de outlook.fr outlook.es outlook.jp pm.me posteo.de proton.me protonmail.ch protonmail.com',
    'qq.com rambler.ru rediffmail.com sbcglobal.net seznam.cz sfr.fr shaw.ca sina.cn sina.com t-online.de terra.com.br tiscali.it tuta.com',
    'tuta.io tutanota.com tutanota.de uol.com.br verizon.net virgilio.it wanadoo.fr web.de wp.pl ya.ru yeah.net yopmail.com zoho.com',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Whether a registered domain, or its part before the public suffix, belongs to a public mail
 * provider.
 */
export const isConsumerMail = (registered: string, brand: string): boolean =>
  domains.has(registered) || brands.has(brand);
