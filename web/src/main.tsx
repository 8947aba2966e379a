import { render } from 'preact';
import { App } from './app.tsx';
import './styles/base.css';
import './styles/lists.css';
import './styles/handoff.css';

render(<App />, document.getElementById('app') ?? document.body);
