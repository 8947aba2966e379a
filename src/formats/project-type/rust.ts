/** Rust projects, by Cargo.toml. */
import { shellWord } from '../../domain/shadow.ts';
import { changedCode, CHECKOUT_FILES, versionOrHelp, type LanguageCommands, type ProjectSource } from './language.ts';
import { tomlTable, tomlText } from './toml-fields.ts';

/** `src/net/tcp.rs` is `net::tcp`; the root of a crate is the crate. */
export function rustModules(source: ProjectSource): readonly string[] {
  const files = changedCode(source, (path) => /^src\/.*\.rs$/.test(path));
  const names = files.map((path) => path.slice('src/'.length).replace(/(?:\/mod)?\.rs$/, ''));
  const isRoot = (name: string): boolean => name === 'lib' || name === 'main';
  return [...new Set(names.map((name) => (isRoot(name) ? 'crate' : name.replaceAll('/', '::'))))];
}

export function rustCommands({ texts, paths }: ProjectSource, modules: readonly string[]): LanguageCommands {
  const name = tomlText(tomlTable(texts.get('Cargo.toml') ?? '', 'package'), 'name');
  const program = name === null || !paths.includes('src/main.rs') ? null : shellWord(`./target/debug/${name}`);
  const affected = modules.filter((each) => each !== 'crate').map((each) => each.split('::').at(-1) ?? each);
  return {
    install: 'cd "$SOURCE" && cargo build --offline',
    installedFiles: CHECKOUT_FILES,
    imports: 'cd "$SOURCE" && cargo check --offline',
    cli: program === null ? null : `cd "$SOURCE" && ${versionOrHelp(program)}`,
    modules: 'cargo check --offline --all-targets',
    test: 'cargo test --offline',
    affectedTest: affected.length === 0 ? null : `cargo test --offline -- ${affected.map(shellWord).join(' ')}`,
    prepareCheckout: null,
    checkoutTest: 'cargo test --offline',
    testNeedsInstall: true,
  };
}
