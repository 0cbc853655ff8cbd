#!/usr/bin/env escript
%% The laboratory's benchmarks as Erlang's processes: lab.escript NAME.
%% Reads sizes, one a line, and writes for each the answer and the nanoseconds it took.
-mode(compile).

main([Name]) -> serve(Name).

serve(Name) ->
    case io:get_line("") of
        eof -> ok;
        Line ->
            N = list_to_integer(string:trim(Line)),
            %% A fresh process: its heap and mailbox are those of one run.
            Main = self(),
            spawn_link(fun() ->
                Begin = erlang:monotonic_time(nanosecond),
                Answer = run(Name, N),
                Main ! {answer, Answer, erlang:monotonic_time(nanosecond) - Begin}
            end),
            receive {answer, Answer, Took} -> io:format("~b ~b~n", [Answer, Took]) end,
            serve(Name)
    end.

times(0, _) -> ok;
times(N, F) -> F(), times(N - 1, F).

add(0, Sum) -> Sum;
add(N, Sum) -> receive {sum, X} -> add(N - 1, Sum + X) end.

run("ping-pong", N) ->
    Ping = self(),
    Pong = spawn_link(fun() -> times(N, fun() -> receive X -> Ping ! X + 1 end end) end),
    ping(N, Pong, 0);

run("counting", N) ->
    Counter = self(),
    spawn_link(fun() -> [Counter ! {sum, I} || I <- lists:seq(1, N)] end),
    add(N, 0);

run("thread ring", N) ->
    First = self(),
    Next = lists:foldl(fun(M, To) -> spawn_link(fun() -> member(M, To) end) end, First, lists:seq(99, 1, -1)),
    Token = rounds(N, Next, 0),
    Next ! stop,
    receive stop -> Token end;

run("fork-join throughput", N) ->
    Master = self(),
    Workers = [spawn_link(fun() -> Master ! {sum, worker(N, W, 0)} end) || W <- lists:seq(0, 15)],
    [[W ! {sum, I} || W <- Workers] || I <- lists:seq(0, N - 1)],
    add(16, 0);

run("fork-join creation", N) ->
    Master = self(),
    [spawn_link(fun() -> Master ! {sum, squares(3, I)} end) || I <- lists:seq(0, N - 1)],
    add(N, 0);

run("bounded buffer", N) ->
    Main = self(),
    Buffer = spawn_link(fun() -> buffer(queue:new(), 0) end),
    [begin
        spawn_link(fun() -> [begin Buffer ! {offer, I + P, self()}, receive more -> ok end end || I <- lists:seq(0, N - 1)] end),
        spawn_link(fun() -> Main ! {sum, consume(N, Buffer, 0)} end)
     end || P <- lists:seq(0, 3)],
    Sum = add(4, 0),
    Buffer ! stop,
    Sum;

run("dining philosophers", N) ->
    Main = self(),
    Forks = list_to_tuple([spawn_link(fun() -> Main ! {sum, fork(2 * N, 0)} end) || _ <- lists:seq(1, 5)]),
    [spawn_link(fun() -> times(N, fun() -> eat(element(min(P, P rem 5 + 1), Forks), element(max(P, P rem 5 + 1), Forks)) end) end)
     || P <- lists:seq(1, 5)],
    add(5, 0);

run("sieve", N) ->
    Counter = self(),
    First = lists:foldl(fun(_, To) -> spawn_link(fun() -> receive Prime -> filter(Prime, To) end end) end, Counter, lists:seq(1, 10)),
    spawn_link(fun() -> [First ! X || X <- lists:seq(2, N + 30)], First ! 0 end),
    count(0);

run("Fibonacci", N) -> fib(N, self()), add(1, 0);

run("barrier", N) ->
    Meeting = self(),
    Parties = [spawn_link(fun() -> party(P, Meeting) end) || P <- lists:seq(0, 7)],
    Sum = meet(N, Parties, 0),
    [P ! stop || P <- Parties],
    Sum;

run("chameneos", N) ->
    Main = self(),
    Mall = spawn_link(fun() -> mall(N) end),
    [spawn_link(fun() -> creature(C rem 3, 0, Mall, Main) end) || C <- lists:seq(0, 7)],
    {Count, Colours} = lists:foldl(fun(_, {K, S}) -> receive {ended, Count, Colour} -> {K + Count, S + Colour} end end, {0, 0}, lists:seq(1, 8)),
    Mall ! stop,
    3 * Count + Colours rem 3;

run("big", N) ->
    Main = self(),
    All = [spawn_link(fun() -> receive {others, Others} -> asker(A, Others, N * 7, A, Main) end end) || A <- lists:seq(0, 7)],
    [lists:nth(A, All) ! {others, lists:nthtail(A, All) ++ lists:sublist(All, A - 1)} || A <- lists:seq(1, 8)],
    Sum = add(8, 0),
    [A ! stop || A <- All],
    Sum;

run("n-queens", N) -> queens((1 bsl N) - 1, 0, 0, 0, self()), add(1, 0);

run("quicksort", N) ->
    sort([I * I * 7919 rem 1000003 || I <- lists:seq(0, N - 1)], all, self()),
    receive {all, Sorted} -> weighed(Sorted, 0, 0) end;

run("trapezoid", N) ->
    Main = self(),
    [spawn_link(fun() -> Main ! {sum, strip(P, N, 0, 0)} end) || P <- lists:seq(0, 7)],
    add(8, 0);

run("logistic map", N) ->
    Main = self(),
    [begin
        Computer = spawn_link(fun() -> terms(K + 2) end),
        spawn_link(fun() -> Main ! {sum, manage(N, K + 1, Computer)} end)
     end || K <- lists:seq(0, 7)],
    add(8, 0);

run("precise pi", N) ->
    Manager = self(),
    Workers = [spawn_link(fun() -> pi_worker(Manager) end) || _ <- lists:seq(1, 8)],
    Sum = pi_terms(N, 0, N, 0),
    [W ! stop || W <- Workers],
    Sum;

run("sleeping barber", N) ->
    Main = self(),
    Barber = spawn_link(fun() -> barber(1) end),
    Room = spawn_link(fun() -> room(Barber, [], 0, false) end),
    [spawn_link(fun() -> Main ! {sum, customer(N, Room, 0)} end) || _ <- lists:seq(1, 8)],
    Sum = add(8, 0),
    Room ! stop, Barber ! stop,
    Sum;

run("cigarette smokers", N) ->
    Arbiter = self(),
    Smokers = list_to_tuple([spawn_link(fun() -> smoker(K, Arbiter) end) || K <- lists:seq(0, 7)]),
    X = arbiter(N, 1, Smokers),
    [S ! stop || S <- tuple_to_list(Smokers)],
    X;

run("concurrent dictionary", N) ->
    Main = self(),
    Dictionary = spawn_link(fun() -> dictionary(#{}) end),
    [spawn_link(fun() -> Main ! {sum, asks(N, W, W, Dictionary)} end) || W <- lists:seq(0, 7)],
    Sum = add(8, 0),
    Dictionary ! stop,
    Sum;

run("bank transaction", N) ->
    Teller = self(),
    Accounts = list_to_tuple([spawn_link(fun() -> account(K, 0, Teller) end) || K <- lists:seq(1, 10)]),
    transfers(N, 1, Accounts),
    times(N, fun() -> receive done -> ok end end),
    [A ! stop || A <- tuple_to_list(Accounts)],
    add(10, 0);

run("radix sort", N) ->
    Main = self(),
    First = lists:foldl(fun(Bit, To) -> spawn_link(fun() -> sorter(Bit, To, []) end) end, Main, lists:seq(7, 0, -1)),
    [First ! (I * I * 7919 rem 1000003) rem 256 || I <- lists:seq(0, N - 1)],
    First ! last,
    sorted(0, 0);

run("unbalanced cobwebbed tree", N) -> tree(1, N, self()), add(1, 0);

run("recursive matrix multiplication", N) ->
    Matrix = fun(F) -> [[F(I, J) || J <- lists:seq(0, N - 1)] || I <- lists:seq(0, N - 1)] end,
    A = Matrix(fun(I, J) -> float((3 * I + J) rem 10) end),
    B = Matrix(fun(I, J) -> float((I + 2 * J) rem 10) end),
    W = Matrix(fun(I, J) -> float((I + 5 * J) rem 7 + 1) end),
    product(A, B, N, product, self()),
    receive {product, C} -> trunc(lists:sum([lists:sum(lists:zipwith(fun(X, Y) -> X * Y end, R, S)) || {R, S} <- lists:zip(C, W)])) end;

run("bitonic sort", N) ->
    bitonic([I * I * 7919 rem 1000003 || I <- lists:seq(0, N - 1)], true, all, self()),
    receive {all, Sorted} -> weighed(Sorted, 0, 0) end;

run("successive over-relaxation", N) ->
    Main = self(),
    Strips = [spawn_link(fun() -> receive {neighbours, Left, Right} ->
        Main ! {sum, relax(N, [(K * 31 + I * 7) rem 100 || I <- lists:seq(0, 7)], [(K * 17 + I * 3) rem 100 || I <- lists:seq(0, 7)], Left, Right)}
        end end) || K <- lists:seq(0, 3)],
    [A ! {neighbours, L, R} || {A, L, R} <- lists:zip3(Strips, [none | lists:sublist(Strips, 3)], tl(Strips) ++ [none])],
    add(4, 0);

run("filter bank", N) ->
    Main = self(),
    Chains = [begin
        Second = spawn_link(fun() -> bank_filter(K + 1, K, Main, 0, 0, 0) end),
        spawn_link(fun() -> bank_filter(K, K, Second, 0, 0, 0) end)
     end || K <- lists:seq(0, 7)],
    spawn_link(fun() -> [[C ! {K, (I * I * 31 + 7 * I) rem 1009} || {K, C} <- lists:zip(lists:seq(0, 7), Chains)] || I <- lists:seq(0, N - 1)],
        [C ! stop || C <- Chains] end),
    bank(N, 0);

run("matrix multiplication", N) ->
    Main = self(),
    Matrix = fun(F) -> list_to_tuple([list_to_tuple([F(I, J) || J <- lists:seq(0, N - 1)]) || I <- lists:seq(0, N - 1)]) end,
    A = Matrix(fun(I, J) -> float((3 * I + J) rem 10) end),
    B = Matrix(fun(I, J) -> float((I + 2 * J) rem 10) end),
    W = Matrix(fun(I, J) -> float((I + 5 * J) rem 7 + 1) end),
    Starts = lists:seq(1, N, 16),
    [spawn_link(fun() -> Main ! {sum, block(A, B, W, N, R, C)} end) || R <- Starts, C <- Starts],
    trunc(add(length(Starts) * length(Starts), 0.0)).

pi_term(I) when I rem 2 =:= 1 -> -(4000000000000000 div (2 * I + 1));
pi_term(I) -> 4000000000000000 div (2 * I + 1).

pi_worker(Manager) ->
    Manager ! {idle, self()},
    pi_work(Manager).

pi_work(Manager) ->
    receive
        {index, I} -> Manager ! {term, pi_term(I), self()}, pi_work(Manager);
        stop -> ok
    end.

pi_terms(_, _, 0, Sum) -> Sum;
pi_terms(N, Next, Left, Sum) ->
    receive
        {idle, W} -> pi_terms(N, hand(N, Next, W), Left, Sum);
        {term, T, W} -> pi_terms(N, hand(N, Next, W), Left - 1, Sum + T)
    end.

hand(N, Next, W) when Next < N -> W ! {index, Next}, Next + 1;
hand(_, Next, _) -> Next.

barber(I) -> receive {cut, Customer, Room} -> Customer ! {bill, I}, Room ! next, barber(I + 1); stop -> ok end.

%% Those outside stay in the mailbox.
room(Barber, [First | Rest], Sitting, false) ->
    Barber ! {cut, First, self()},
    room(Barber, Rest, Sitting - 1, true);
room(Barber, Waiting, Sitting, Busy) ->
    receive
        {enter, From} when Sitting < 4 -> room(Barber, Waiting ++ [From], Sitting + 1, Busy);
        next -> room(Barber, Waiting, Sitting, false);
        stop -> ok
    end.

customer(0, _, Sum) -> Sum;
customer(N, Room, Sum) -> Room ! {enter, self()}, receive {bill, I} -> customer(N - 1, Room, Sum + I) end.

smoker(K, Arbiter) ->
    receive
        {ingredients, X} -> Arbiter ! {smoking, (X * (K + 2) + K) rem 1000003}, smoker(K, Arbiter);
        stop -> ok
    end.

arbiter(0, X, _) -> X;
arbiter(N, X, Smokers) ->
    element(X rem 8 + 1, Smokers) ! {ingredients, X},
    receive {smoking, Y} -> arbiter(N - 1, Y, Smokers) end.

dictionary(Values) ->
    receive
        {read, Key, From} -> From ! {had, maps:get(Key, Values, 0)}, dictionary(Values);
        {write, Key, X, From} -> From ! {had, maps:get(Key, Values, 0)}, dictionary(Values#{Key => X});
        stop -> ok
    end.

asks(0, _, X, _) -> X;
asks(N, W, X, Dictionary) ->
    Key = W * 8 + X rem 8,
    if X rem 10 =:= 0 -> Dictionary ! {read, Key, self()};
       true -> Dictionary ! {write, Key, X, self()}
    end,
    receive {had, Had} -> asks(N - 1, W, (3 * X + Had + W + 1) rem 1000003, Dictionary) end.

account(K, Balance, Teller) ->
    receive
        {pay, Amount, To} -> To ! {paid, Amount}, account(K, Balance - Amount, Teller);
        {paid, Amount} -> Teller ! done, account(K, Balance + Amount, Teller);
        stop -> Teller ! {sum, K * Balance}
    end.

transfers(0, _, _) -> ok;
transfers(N, X, Accounts) ->
    From = X rem 10,
    To = (From + 1 + (X div 10) rem 9) rem 10,
    element(From + 1, Accounts) ! {pay, (X div 100) rem 1000, element(To + 1, Accounts)},
    transfers(N - 1, (X * 7919 + 1) rem 1000003, Accounts).

sorter(Bit, To, Kept) ->
    receive
        last -> [To ! X || X <- lists:reverse(Kept)], To ! last;
        X when (X bsr Bit) band 1 =:= 0 -> To ! X, sorter(Bit, To, Kept);
        X -> sorter(Bit, To, [X | Kept])
    end.

sorted(I, Sum) -> receive last -> Sum; X -> sorted(I + 1, Sum + I * X) end.

tree(X, D, Parent) ->
    spawn_link(fun() ->
        if D < 1 -> Parent ! {sum, 1};
           true ->
               tree((3 * X + 1) rem 1000003, D - 1 - X rem 3, self()),
               tree((5 * X + 2) rem 1000003, D - 1 - X rem 2, self()),
               Parent ! {sum, add(2, 1)}
        end
    end).

product(A, B, N, Part, Parent) ->
    spawn_link(fun() -> Parent ! {Part, product(A, B, N)} end).

product(A, B, N) when N =< 16 ->
    Columns = columns(B),
    [[lists:sum(lists:zipwith(fun(X, Y) -> X * Y end, Row, Column)) || Column <- Columns] || Row <- A];
product(A, B, N) ->
    H = N div 2,
    {A11, A12, A21, A22} = quarters(A, H),
    {B11, B12, B21, B22} = quarters(B, H),
    Pairs = [{A11, B11}, {A12, B21}, {A11, B12}, {A12, B22}, {A21, B11}, {A22, B21}, {A21, B12}, {A22, B22}],
    Me = self(),
    [product(X, Y, H, K, Me) || {K, {X, Y}} <- lists:zip(lists:seq(1, 8), Pairs)],
    [P1, P2, P3, P4, P5, P6, P7, P8] = [receive {K, P} -> P end || K <- lists:seq(1, 8)],
    beside(plus(P1, P2), plus(P3, P4)) ++ beside(plus(P5, P6), plus(P7, P8)).

columns([[] | _]) -> [];
columns(Rows) -> [[hd(R) || R <- Rows] | columns([tl(R) || R <- Rows])].

quarters(M, H) ->
    {Top, Bottom} = lists:split(H, M),
    {T, B} = {[lists:split(H, R) || R <- Top], [lists:split(H, R) || R <- Bottom]},
    {[L || {L, _} <- T], [R || {_, R} <- T], [L || {L, _} <- B], [R || {_, R} <- B]}.

plus(A, B) -> lists:zipwith(fun(R, S) -> lists:zipwith(fun(X, Y) -> X + Y end, R, S) end, A, B).

beside(A, B) -> lists:zipwith(fun(R, S) -> R ++ S end, A, B).

bitonic(Keys, Up, Part, Parent) ->
    spawn_link(fun() ->
        case Keys of
            [_, _ | _] ->
                {A, B} = lists:split(length(Keys) div 2, Keys),
                bitonic(A, true, first, self()),
                bitonic(B, false, second, self()),
                receive {first, X} -> receive {second, Y} -> merge(X ++ Y, Up, Part, Parent) end end;
            _ -> Parent ! {Part, Keys}
        end
    end).

merge(Keys, Up, Part, Parent) ->
    spawn_link(fun() ->
        case Keys of
            [_, _ | _] ->
                {A, B} = lists:split(length(Keys) div 2, Keys),
                {Low, High} = {lists:zipwith(fun min/2, A, B), lists:zipwith(fun max/2, A, B)},
                {First, Second} = if Up -> {Low, High}; true -> {High, Low} end,
                merge(First, Up, first, self()),
                merge(Second, Up, second, self()),
                receive {first, X} -> receive {second, Y} -> Parent ! {Part, X ++ Y} end end;
            _ -> Parent ! {Part, Keys}
        end
    end).

bank_filter(K, Chain, To, B, C, D) ->
    receive
        {Chain, A} ->
            To ! {Chain, (A * (K + 1) + B * (K + 2) * 2 + C * (K + 3) * 3 + D * (K + 4) * 4) rem 1000003},
            bank_filter(K, Chain, To, A, B, C);
        stop -> To ! stop
    end.

bank(0, Total) -> [receive stop -> ok end || _ <- lists:seq(1, 8)], Total;
bank(N, Total) ->
    bank(N - 1, (3 * Total + lists:sum([receive {K, X} -> X end || K <- lists:seq(0, 7)])) rem 1000003).

relax(0, Red, Black, _, _) ->
    lists:sum([(2 * I + 1) * R + (2 * I + 2) * B || {I, R, B} <- lists:zip3(lists:seq(0, 7), Red, Black)]);
relax(N, Red, Black, Left, Right) ->
    tell(Right, {black, lists:last(Black)}),
    Before = if Left =:= none -> 1; true -> receive {black, X} -> X end end,
    Red1 = lists:zipwith3(fun relaxed/3, Red, [Before | lists:droplast(Black)], Black),
    tell(Left, {red, hd(Red1)}),
    Behind = if Right =:= none -> 2; true -> receive {red, Y} -> Y end end,
    Black1 = lists:zipwith3(fun relaxed/3, Black, Red1, tl(Red1) ++ [Behind]),
    relax(N - 1, Red1, Black1, Left, Right).

relaxed(C, L, R) -> (3 * (L + R) + 10005 * C) rem 10007.

tell(none, _) -> ok;
tell(To, M) -> To ! M.

height(X) -> (X * X + 3 * X + 1) rem 10007.

strip(_, N, N, Area) -> Area;
strip(P, N, I, Area) ->
    X = 8 * I + P,
    strip(P, N, I + 1, Area + height(X) + height(X + 1)).

manage(0, X, Computer) -> Computer ! stop, X;
manage(N, X, Computer) ->
    Computer ! {X, self()},
    receive {term, Y} -> manage(N - 1, Y, Computer) end.

terms(Rate) ->
    receive
        {X, From} -> From ! {term, ((Rate * X rem 1000003) * (1000003 - X)) rem 1000003}, terms(Rate);
        stop -> ok
    end.

met(A, B) -> (6 - A - B) rem 3.

mall(0) -> receive {visit, _, From} -> From ! leave, mall(0); stop -> ok end;
mall(N) ->
    receive {visit, A, First} ->
        receive {visit, B, Second} -> First ! {meet, B}, Second ! {meet, A}, mall(N - 1) end
    end.

creature(Colour, Count, Mall, Main) ->
    Mall ! {visit, Colour, self()},
    receive
        {meet, Other} -> creature(met(Colour, Other), Count + 1, Mall, Main);
        leave -> Main ! {ended, Count, Colour}
    end.

asker(A, Others, 0, V, Main) -> Main ! {sum, V}, answerer(A, Others);
asker(A, [To | Others], Left, V, Main) ->
    To ! {ask, V, self()},
    told(A, Others ++ [To], Left, Main).

told(A, Others, Left, Main) ->
    receive
        {answer, V} -> asker(A, Others, Left - 1, V, Main);
        {ask, V, From} -> From ! {answer, (3 * V + A) rem 1009}, told(A, Others, Left, Main)
    end.

answerer(A, Others) ->
    receive
        {ask, V, From} -> From ! {answer, (3 * V + A) rem 1009}, answerer(A, Others);
        stop -> ok
    end.

queens(All, Columns, Left, Right, Parent) ->
    spawn_link(fun() ->
        case Columns of
            All -> Parent ! {sum, 1};
            _ -> Parent ! {sum, add(safe(All band bnot (Columns bor Left bor Right), All, Columns, Left, Right, 0), 0)}
        end
    end).

safe(0, _, _, _, _, Open) -> Open;
safe(Free, All, Columns, Left, Right, Open) ->
    Bit = Free band -Free,
    queens(All, Columns bor Bit, (Left bor Bit) bsl 1, (Right bor Bit) bsr 1, self()),
    safe(Free - Bit, All, Columns, Left, Right, Open + 1).

sort(Keys, Part, Parent) ->
    spawn_link(fun() ->
        case Keys of
            [P, _ | _] ->
                sort([K || K <- Keys, K < P], less, self()),
                sort([K || K <- Keys, K > P], more, self()),
                Same = [K || K <- Keys, K == P],
                receive {less, Less} -> receive {more, More} -> Parent ! {Part, Less ++ Same ++ More} end end;
            _ -> Parent ! {Part, Keys}
        end
    end).

weighed([], _, Sum) -> Sum;
weighed([K | Keys], I, Sum) -> weighed(Keys, I + 1, Sum + I * K).

block(A, B, W, N, Row, Column) ->
    lists:sum([element(J, element(I, W)) * dot(element(I, A), B, J, N, 0.0)
        || I <- lists:seq(Row, Row + 15), J <- lists:seq(Column, Column + 15)]).

dot(_, _, _, 0, Sum) -> Sum;
dot(Line, B, J, K, Sum) -> dot(Line, B, J, K - 1, Sum + element(K, Line) * element(J, element(K, B))).

ping(0, _, V) -> V;
ping(N, Pong, V) -> Pong ! V + 1, receive X -> ping(N - 1, Pong, X) end.

turned(M, Token) when M rem 2 =:= 0 -> M - Token;
turned(M, Token) -> Token bxor M.

member(M, To) ->
    receive
        stop -> To ! stop;
        Token -> To ! turned(M, Token), member(M, To)
    end.

rounds(0, _, Token) -> Token;
rounds(N, Next, Token) -> Next ! turned(0, Token), receive T -> rounds(N - 1, Next, T) end.

worker(0, _, Sum) -> Sum;
worker(N, W, Sum) -> receive {sum, I} -> worker(N - 1, W, Sum + I + W) end.

squares(0, X) -> X;
squares(K, X) -> squares(K - 1, X * X rem 10007).

%% A full buffer leaves offers in its mailbox, an empty one requests.
buffer(Items, Size) ->
    receive
        {offer, V, From} when Size < 16 -> From ! more, buffer(queue:in(V, Items), Size + 1);
        {request, From} when Size > 0 -> {{value, V}, Rest} = queue:out(Items), From ! {item, V}, buffer(Rest, Size - 1);
        stop -> ok
    end.

consume(0, _, Sum) -> Sum;
consume(N, Buffer, Sum) -> Buffer ! {request, self()}, receive {item, V} -> consume(N - 1, Buffer, Sum + V) end.

fork(Meals, Count) when Count =:= Meals -> Count;
fork(Meals, Count) -> receive {take, From} -> From ! taken, receive put -> fork(Meals, Count + 1) end end.

eat(First, Second) ->
    First ! {take, self()}, receive taken -> ok end,
    Second ! {take, self()}, receive taken -> ok end,
    First ! put, Second ! put.

filter(Prime, To) ->
    receive
        0 -> To ! 0;
        X when X rem Prime =/= 0 -> To ! X, filter(Prime, To);
        _ -> filter(Prime, To)
    end.

count(N) -> receive 0 -> N; _ -> count(N + 1) end.

fib(N, Parent) ->
    spawn_link(fun() ->
        if N < 2 -> Parent ! {sum, N};
           true -> fib(N - 1, self()), fib(N - 2, self()), Parent ! {sum, add(2, 0)}
        end
    end).

party(P, Meeting) ->
    receive
        {round, Sum} -> Meeting ! {sum, (Sum * (P + 2) + P) rem 1000003}, party(P, Meeting);
        stop -> ok
    end.

meet(0, _, Sum) -> Sum;
meet(N, Parties, Sum) -> [P ! {round, Sum} || P <- Parties], meet(N - 1, Parties, add(8, 0)).
