/**
 * Completion for PowerShell. Words are taken as they were parsed, and nothing of them is run. An answer without words
 * leaves the completion to PowerShell, which offers files. Before 7.3 it drops arguments that are empty.
 */
export const POWERSHELL_SCRIPT = `# PowerShell completion for baton: baton complete powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName baton -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text.Trim('"', "'") })
  $current = if ("$wordToComplete" -ne '') { "$wordToComplete" }
    elseif ($PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { '' }
  & baton complete '--' @typed $current 2>$null | Where-Object { $_ -notmatch '^:' } | ForEach-Object {
    $word, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $about)
  }
}
`;
