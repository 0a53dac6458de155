// async_node: tokens that wait for a reply from elsewhere, while the graph's threads do other
// things.
//
//   --> ask --- reply ----------> count
//        |                          ^
//        +-- turned away (failed) --+
//
// One thread sends all requests before the first reply comes, because it waits for none of them.
#include <sluice/graph/flow/async_node.h>

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>

namespace {

struct Request {
  int question = 0;
  int answer = -1;
};
using Ask = sluice::flow::async_node<Request*>;

// Answers on a thread of its own, once all have asked. It turns away what it is asked for too often
// by destroying the handle.
class Server {
 public:
  explicit Server(std::size_t clients) : clients_(clients) {}
  ~Server() { thread_.join(); }

  void ask(Ask::completion done) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(done));
    asked_.notify_one();
  }
  std::size_t most() const { return most_; }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    asked_.wait(lock, [&] { return waiting_.size() == clients_; });
    most_ = waiting_.size();
    for (Ask::completion& done : waiting_) {
      const int question = done.token()->question;
      if (question % 5 == 4) continue;
      done.token()->answer = question * question;
      done.fire();
    }
    waiting_.clear();
  }

  const std::size_t clients_;
  std::size_t most_ = 0;
  std::mutex mutex_;
  std::condition_variable asked_;
  std::vector<Ask::completion> waiting_;
  std::thread thread_{[this] { serve(); }};
};

}  // namespace

int main() {
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  std::vector<Request> requests(15);
  tbb::flow::graph g;
  int answered = 0, turned_away = 0;
  std::size_t most = 0;
  {
    Server server(requests.size());
    Ask ask(g, [&](Request*, Ask::completion done) { server.ask(std::move(done)); });
    tbb::flow::function_node<Request*> count(g, tbb::flow::serial,
                                             [&](const Request* r) -> tbb::flow::continue_msg {
                                               r->answer < 0 ? ++turned_away : ++answered;
                                               return {};
                                             });
    make_edge(ask.output(), count);
    make_edge(ask.failed(), count);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i].question = static_cast<int>(i);
      ask.input().try_put(&requests[i]);
    }
    g.wait_for_all();
    most = server.most();  // it has served when the graph is empty
  }
  std::printf("%d requests answered, %d turned away; %zu were under way at once on one thread\n",
              answered, turned_away, most);
}
