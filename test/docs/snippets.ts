import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

// Runs the code of docs/webhooks.md unchanged: a driver in the same language reads cases, one a
// line, and prints the code's result for each. Nothing is fetched.

const run = promisify(execFile);
const page = readFileSync(path.join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');

export type Case = { secret: string; header: string; body: Uint8Array };

type Language = {
  /** The language mark of the code block. */
  mark: string;
  /** The program that must be on the machine. */
  tool: readonly [command: string, ...options: string[]];
  /** The files of the program: their names and contents. */
  files: (code: string) => Record<string, string>;
  /** Commands to run in the program's folder, the last of which prints the results. */
  commands: ReadonlyArray<readonly [command: string, ...options: string[]]>;
};

/** All of the page's languages. The drivers only need their language's standard library. */
export const languages: Readonly<Record<string, Language>> = {
  TypeScript: {
    mark: 'ts',
    tool: [process.execPath, '--version'],
    files: (code) => ({
      'webhooks.ts': code,
      'main.ts': `import { readFileSync } from 'node:fs';
import { verify } from './webhooks.ts';
for (const line of readFileSync('cases', 'utf8').trimEnd().split('\\n')) {
  const [secret = '', header = '', body = ''] = line.split('\\t').map((text) => Buffer.from(text, 'base64'));
  console.log(verify(String(secret), String(header), Buffer.from(body)));
}
`,
    }),
    commands: [[process.execPath, 'main.ts']],
  },
  Python: {
    mark: 'python',
    tool: ['python3', '--version'],
    files: (code) => ({
      'webhooks.py': code,
      'main.py': `import base64
from webhooks import verify
for line in open("cases").read().splitlines():
    secret, header, body = (base64.b64decode(text) for text in line.split("\\t"))
    print(str(verify(secret.decode(), header.decode(), body)).lower())
`,
    }),
    commands: [['python3', 'main.py']],
  },
  Go: {
    mark: 'go',
    tool: ['go', 'version'],
    files: (code) => ({
      'go.mod': 'module example\n\ngo 1.19\n',
      'webhooks/webhooks.go': code,
      'main.go': `package main

import (
	"encoding/base64"
	"example/webhooks"
	"fmt"
	"os"
	"strings"
)

func main() {
	cases, _ := os.ReadFile("cases")
	for _, line := range strings.Split(strings.TrimSuffix(string(cases), "\\n"), "\\n") {
		var fields [3][]byte
		for index, text := range strings.Split(line, "\\t") {
			fields[index], _ = base64.StdEncoding.DecodeString(text)
		}
		fmt.Println(webhooks.Verify(string(fields[0]), string(fields[1]), fields[2]))
	}
}
`,
    }),
    commands: [['go', 'run', '.']],
  },
  Java: {
    mark: 'java',
    tool: ['javac', '--version'],
    files: (code) => ({
      'Webhooks.java': code,
      'Main.java': `import java.nio.file.*;
import java.util.Base64;

public class Main {
  public static void main(String[] args) throws Exception {
    for (String line : Files.readAllLines(Path.of("cases"))) {
      String[] fields = line.split("\\t", -1);
      byte[] secret = Base64.getDecoder().decode(fields[0]), header = Base64.getDecoder().decode(fields[1]), body = Base64.getDecoder().decode(fields[2]);
      System.out.println(Webhooks.verify(new String(secret, "UTF-8"), new String(header, "UTF-8"), body));
    }
  }
}
`,
    }),
    commands: [
      ['javac', 'Webhooks.java', 'Main.java'],
      ['java', 'Main'],
    ],
  },
  Ruby: {
    mark: 'ruby',
    tool: ['ruby', '--version'],
    files: (code) => ({
      'webhooks.rb': code,
      'main.rb': `require_relative "webhooks"
File.readlines("cases", chomp: true).each do |line|
  secret, header, body = line.split("\\t", -1).map { |text| text.unpack1("m") }
  puts verify(secret, header.force_encoding("UTF-8"), body)
end
`,
    }),
    commands: [['ruby', 'main.rb']],
  },
  Rust: {
    mark: 'rust',
    // Whether the crates are available shows when cargo looks for them.
    tool: ['cargo', '--version'],
    files: (code) => ({
      'Cargo.toml':
        '[package]\nname = "example"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nhex = "0.4"\nhmac = "0.12"\nsha2 = "0.10"\n',
      'src/webhooks.rs': code,
      'src/main.rs': `mod webhooks;

fn bytes(text: &str) -> Vec<u8> {
    hex::decode(text).unwrap()
}

fn main() {
    for line in std::fs::read_to_string("cases.hex").unwrap().lines() {
        let fields: Vec<Vec<u8>> = line.split('\\t').map(bytes).collect();
        println!("{}", webhooks::verify(&String::from_utf8_lossy(&fields[0]), &String::from_utf8_lossy(&fields[1]), &fields[2]));
    }
}
`,
    }),
    commands: [['cargo', 'run', '--offline', '--quiet']],
  },
};

/** The code of a language on the page. */
export function codeOf({ mark }: Language): string {
  const [block, ...more] = Array.from(
    page.matchAll(new RegExp(`^\`\`\`${mark}\\n(.*?)^\`\`\`$`, 'gms')),
    ([, code]) => code ?? '',
  );
  if (block === undefined || more.length > 0)
    throw new Error(`the page has ${more.length === 0 ? 'no' : 'more than one'} block of ${mark}`);
  return block;
}

/** The marks of all blocks on the page. */
export const marks = Array.from(page.matchAll(/^```(\w+)$/gm), ([, mark]) => mark ?? '');

/** The reason why a language cannot be run here; '' if it can. */
export async function missing(
  name: string,
  { tool: [command, ...options], files }: Language,
  folder: string,
): Promise<string> {
  try {
    await run(command, options);
    if (name !== 'Rust') return '';
    const at = path.join(folder, 'probe');
    write(at, files('pub fn verify(_: &str, _: &str, _: &[u8]) -> bool { false }'));
    await run('cargo', ['tree', '--offline'], { cwd: at });
    return '';
  } catch {
    return `${name} IS NOT VERIFIED HERE: ${command} or what the code needs is not on this machine`;
  }
}

/** The result of the page's code for each case. */
export async function verdicts(
  language: Language,
  cases: readonly Case[],
  folder: string,
): Promise<boolean[]> {
  const line = (encoding: 'base64' | 'hex') => (one: Case) =>
    [one.secret, one.header, one.body]
      .map((part) => Buffer.from(part).toString(encoding))
      .join('\t');
  const lines = (encoding: 'base64' | 'hex') => `${cases.map(line(encoding)).join('\n')}\n`;
  write(folder, {
    ...language.files(codeOf(language)),
    cases: lines('base64'),
    'cases.hex': lines('hex'),
  });
  let answer = '';
  // Turn off compile caches, which would remain on the machine.
  for (const [command, ...options] of language.commands)
    ({ stdout: answer } = await run(command, options, {
      cwd: folder,
      env: { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off' },
    }));
  return answer
    .trim()
    .split('\n')
    .map((text) => text === 'true');
}

function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}
