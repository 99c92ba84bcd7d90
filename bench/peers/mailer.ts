import process from 'node:process';
import { createToken } from '@bailiwick/contract';
import { createMailer } from '@bailiwick/notifications/email/mailer.ts';
import { openTemplates, renderMail } from '@bailiwick/notifications/email/templates.ts';
import { serveBench } from '../peer.ts';

// nodemailer alone, with as many connections as the product: sends one prepared mail to the
// requested number of addresses.
//
//   node mailer.ts <smtp url> <connections>

const [smtpUrl = '', connections = '1'] = process.argv.slice(2);
const mailer = createMailer({
  smtpUrl,
  greetingName: 'bench.example.com',
  from: 'Bailiwick <no-reply@bailiwick.localhost>',
  connections: Number(connections),
});
const token = createToken('verify');
const publicUrl = 'http://127.0.0.1:8080';
const values = {
  service: 'Bailiwick',
  publicUrl,
  email: 'person@example.com',
  token,
  link: `${publicUrl}/verify#token=${token}`,
};
const mail = renderMail(openTemplates(''), 'verification', 'en', values);

async function send({ count }: { count: number }): Promise<{ seconds: number; errors: number }> {
  const began = performance.now();
  const results = await Promise.allSettled(
    Array.from({ length: count }, (_, index) =>
      mailer.send({
        to: `person-${index}@example.com`,
        messageId: `<${token}-${index}@example.com>`,
        ...mail,
      }),
    ),
  );
  return {
    seconds: (performance.now() - began) / 1000,
    errors: results.filter(({ status }) => status === 'rejected').length,
  };
}

serveBench('ready', send);
