// Sends, does and awaits work through the queue folder, with nothing but Go's own library. Copy this file.
//
//	go run handoffs.go send @from @to '{"text": "two words"}'    prints the id            (in the workspace)
//	go run handoffs.go work @counter                             does the agent's work in pending/, once
//	go run handoffs.go wait ID                                   prints the answer; ends with 8 when it failed
package main

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

type handoff = map[string]any

// Send writes a request and returns its id.
func Send(from, to string, data any) (string, error) {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	id := "go-" + hex.EncodeToString(random)
	return id, write(place("pending", id+".json"), handoff{
		"handoff_id":      id,
		"timestamp":       time.Now().UTC().Format(time.RFC3339),
		"status":          "pending",
		"source":          handoff{"agent_id": from},
		"target":          handoff{"agent_id": to},
		"input":           handoff{"data": data},
		"timeout_seconds": 300,
	})
}

// Work does once what lies in pending/ for this agent.
func Work(agent string, do func(data any) (any, error)) error {
	entries, err := os.ReadDir(place("pending", ""))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") || !strings.HasSuffix(name, ".json") {
			continue
		}
		request, err := read(place("pending", name))
		if err != nil || targetOf(request) != strings.TrimPrefix(agent, "@") {
			continue
		}
		// Of all who try, one rename succeeds; the others go on to the next.
		mine := place("in-progress", name)
		if os.Rename(place("pending", name), mine) != nil {
			continue
		}
		if request, err = read(mine); err != nil {
			continue
		}
		input, _ := request["input"].(map[string]any)
		end := "completed"
		if answer, err := do(input["data"]); err == nil {
			request["output"] = handoff{"artifact_type": "result", "content": answer}
			request["completed_at"] = time.Now().UTC().Format(time.RFC3339)
		} else {
			end = "failed"
			request["error"] = handoff{"code": "PROCESSING_ERROR", "message": err.Error()}
			request["failed_at"] = time.Now().UTC().Format(time.RFC3339)
		}
		request["status"] = end
		// The file may have been taken back because our time was over: then the answer does not count.
		if _, err := os.Lstat(mine); err != nil {
			continue
		}
		// First the content, then the place: whoever waits sees the whole answer or none.
		if err := write(mine, request); err != nil {
			return err
		}
		if err := os.Rename(mine, place(end, name)); err != nil {
			return err
		}
	}
	return nil
}

// Failed is what Wait returns for a handoff that failed.
type Failed struct{ Code, Message string }

func (failed Failed) Error() string { return failed.Code + ": " + failed.Message }

// Wait returns the answer of a handoff, or Failed.
func Wait(id string, patience time.Duration) (any, error) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		// Some programs move first and write after, so the word inside counts too.
		if done, err := read(place("completed", id+".json")); err == nil && done["status"] == "completed" {
			output, _ := done["output"].(map[string]any)
			if path, ok := output["artifact_path"].(string); ok {
				if artifact, err := read(filepath.FromSlash(path)); err == nil {
					return artifact["content"], nil
				}
			}
			return output["content"], nil
		}
		if done, err := read(place("failed", id+".json")); err == nil && done["status"] == "failed" {
			failure, _ := done["error"].(map[string]any)
			return nil, Failed{fmt.Sprint(failure["code"]), fmt.Sprint(failure["message"])}
		}
	}
	return nil, errors.New(id + " has no answer yet")
}

func targetOf(request handoff) string {
	target := request["target"]
	if party, ok := target.(map[string]any); ok {
		target = party["agent_id"]
	}
	return strings.TrimPrefix(fmt.Sprint(target), "@")
}

func place(folder, name string) string { return filepath.Join("handoffs", folder, name) }

// Whole numbers of any size stay as they are.
func read(path string) (handoff, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(strings.NewReader(strings.TrimPrefix(string(text), "\uFEFF")))
	decoder.UseNumber()
	message := handoff{}
	return message, decoder.Decode(&message)
}

// Whole or not at all; nobody looks at hidden names.
func write(path string, message handoff) error {
	text, err := json.MarshalIndent(message, "", "  ")
	if err != nil {
		return err
	}
	draft := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".draft")
	if err := os.WriteFile(draft, text, 0o644); err != nil {
		return err
	}
	return os.Rename(draft, path)
}

func countWords(data any) (any, error) {
	input, _ := data.(map[string]any)
	text, ok := input["text"].(string)
	if !ok {
		return nil, errors.New("there is no text")
	}
	return handoff{"words": len(strings.Fields(text))}, nil
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		if errors.As(err, &Failed{}) {
			os.Exit(8)
		}
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 4 && args[0] == "send":
		var data any
		if err := json.Unmarshal([]byte(args[3]), &data); err != nil {
			return err
		}
		id, err := Send(args[1], args[2], data)
		fmt.Println(id)
		return err
	case len(args) == 2 && args[0] == "work":
		return Work(args[1], countWords)
	case len(args) == 2 && args[0] == "wait":
		answer, err := Wait(args[1], 5*time.Minute)
		if err != nil {
			return err
		}
		text, err := json.Marshal(answer)
		fmt.Println(string(text))
		return err
	}
	return errors.New("usage: handoffs send FROM TO JSON | work AGENT | wait ID")
}
